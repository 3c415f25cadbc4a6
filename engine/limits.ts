/**
 * Every limit of spec section 8 that a request or a run can meet, in one place. Sizes are bytes, 1 MB = 2^20.
 */

export const defaultLimits = {
  /** Largest request body. */
  requestBytes: 10 * 2 ** 20,
  /** Jobs that may be stored at once. */
  savedJobs: 12_000,
  /** Jobs created within the last 3,600 seconds, one-time submissions among them. */
  jobsCreatedPerHour: 10_000,
  /** Task runs that may be active at once, of all runs together. */
  concurrentTaskRuns: 1_000,
  /** run_job_tasks that may be active at once, of all runs together. */
  concurrentRunJobTasks: 750,
  /** How deep run_job_tasks may be nested: jobs that start jobs that start jobs. */
  runJobDepth: 3,
  /** How deep notebooks may run notebooks, each as a run of its own. */
  notebookRunDepth: 10,
  /** Hours that a run may wait in the queue. */
  queueHours: 48,
  tasksPerJob: 100,
  jobClustersPerJob: 100,
  maxConcurrentRuns: 1_000,
  /** JSON text of each run-now parameter field. */
  parameterBytes: 10_000,
  idempotencyTokenCharacters: 64,
  runNameBytes: 4_096,
  webhooksPerList: 3,
  /** runs/list: the largest page, and what `limit=0` means. */
  runsPerPage: 999,
  /** get-output: how much of stdout and stderr is returned. */
  outputBytes: 5 * 2 ** 20,
  /** runs/logs: the largest page in bytes, and what is given when nothing is said; lines of a tail. */
  logPageBytes: 2 ** 20,
  logTailLines: 10_000,
  /**
   * Logs that one engine sends live at the same time, of all and of one user; seconds after which the
   * receiver asks again.
   */
  logStreams: 200,
  logStreamsPerUser: 40,
  logStreamSeconds: 900,
  /** Bundles that one engine makes at the same time. */
  bundles: 4,
  /** The value given to the notebook's exit call. */
  notebookResultBytes: 2 ** 20,
  /** Output of one notebook cell; a larger one fails the run. */
  notebookCellBytes: 8 * 2 ** 20,
  /** One task value as JSON, and all values of a task together. */
  taskValueBytes: 48 * 2 ** 10,
  taskValuesBytes: 2 ** 20,
  /** Code and output, all cells together, that an exported notebook shows. */
  notebookExportBytes: 10 * 2 ** 20,
  /** Valid tokens of one user. */
  tokensPerUser: 600,
  /** The longest life of a new token, and what it has when none is asked for: 730 days. */
  tokenLifetimeSeconds: 730 * 86_400,
  scopesPerToken: 100,
  /** Requests of one token within a second, on one engine. */
  requestsPerSecondPerToken: 1_000,
  /** Credentials from one address that are refused within a minute, before their refusal is 429. */
  failedCredentialsPerMinute: 30,
  /** Seconds within which the head of a request, and all of it, must have arrived. */
  requestHeadSeconds: 20,
  requestSeconds: 120,
  /** Days that an entry of the audit log is kept. */
  auditRetentionDays: 400,
  tokenCommentBytes: 4_096,
  /** Days after which a run is removed. */
  runRetentionDays: 60,
  /** Destinations of notices that may be stored at once. */
  destinations: 1_000,
  destinationNameBytes: 4_096,
  destinationUrlBytes: 2_048,
  /** Addresses of one e-mail destination. */
  destinationAddresses: 100,
  /** notifications/deliveries and notification-destinations: the largest page. */
  deliveriesPerPage: 1_000,
  /** Days after which a delivery leaves the log, with its mail file. */
  deliveryRetentionDays: 30,
  /** Widgets of a classic dashboard, and queries beside them. */
  dashboardWidgets: 1_000,
  /** Name of a dashboard: it becomes the name of a file. */
  dashboardNameBytes: 230,
  /** SQL text of all queries of a classic dashboard together: they are read while everything else waits. */
  dashboardQueryBytes: 4 * 2 ** 20,
  /** Rows that a query of a dashboard shows, their size as JSON, and how long it may take. */
  dashboardRows: 10_000,
  dashboardRowsBytes: 8 * 2 ** 20,
  dashboardQuerySeconds: 30,
  /** Memory that the database of one query may take, in megabytes. */
  dashboardQueryMegabytes: 512,
  /** Queries of dashboards that run at once, of each engine, and that wait. */
  dashboardQueries: 2,
  dashboardQueriesWaiting: 200,
  /** Days after its last use that a library, or an object that was fetched for a task, leaves the cache. */
  libraryRetentionDays: 30,
  /**
   * Memory and threads that the database of one pipeline update may take; what does not fit into memory goes
   * to the disk.
   */
  pipelineMegabytes: 1_024,
  pipelineThreads: 2,
  /** SQL files of one pipeline, all together. */
  pipelineSourceBytes: 10 * 2 ** 20,
  bootDiskGigabytesMin: 100,
  bootDiskGigabytesMax: 4_096,
} as const;

export type LimitName = keyof typeof defaultLimits;
export type Limits = Readonly<Record<LimitName, number>>;
