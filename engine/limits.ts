/**
 * All limits of the service. Sizes are binary: 1 MB = 2^20 bytes. Names end in the unit; a name without a
 * unit is a count. "Spec" refers to the interface specification; a limit without a paragraph is a choice of
 * Runyard.
 */

const kb = 2 ** 10;
const mb = 2 ** 20;
const daySeconds = 86_400;
const dayMs = daySeconds * 1_000;

/** Limits that RUNYARD_LIMITS may lower. Lower bounds end in Min and may be raised. */
export const defaultLimits = {
  /** Request body, bytes (spec 8). */
  requestBytes: 10 * mb,
  /** Time to receive the header of a request, seconds. */
  requestHeadSeconds: 20,
  /** Time to receive a whole request, seconds. */
  requestSeconds: 120,
  /** Requests that an engine answers at the same time; further ones get 429. */
  requestsUnderWay: 1_000,
  /** Requests per second and token, counted by each engine (spec 8: not shown). */
  requestsPerSecondPerToken: 1_000,
  /** Failed credentials per minute and address before the answer becomes 429 (spec 8: not shown). */
  failedCredentialsPerMinute: 30,

  /** Stored jobs (spec 8). */
  savedJobs: 12_000,
  /** Jobs created within 3,600 seconds, one-time submissions included (spec 8). */
  jobsCreatedPerHour: 10_000,
  /** Active task runs of the workspace (spec 8). */
  concurrentTaskRuns: 1_000,
  /** Active run_job_tasks of the workspace. */
  concurrentRunJobTasks: 750,
  /** Nesting depth of run_job_tasks: jobs that start jobs that start jobs. */
  runJobDepth: 3,
  /** Nesting depth of notebooks that run notebooks as runs of their own. */
  notebookRunDepth: 10,
  /** Time that a run may wait in the queue, hours. */
  queueHours: 48,
  /** Tasks of a job (spec 8). */
  tasksPerJob: 100,
  /** Shared job clusters of a job (spec 8). */
  jobClustersPerJob: 100,
  /** Value of max_concurrent_runs (spec 8). */
  maxConcurrentRuns: 1_000,
  /** JSON text of each run-now parameter field, bytes (spec 8). */
  parameterBytes: 10_000,
  /** idempotency_token, characters (spec 8). */
  idempotencyTokenCharacters: 64,
  /** run_name, bytes of UTF-8 (spec 8). */
  runNameBytes: 4_096,
  /** Webhook destinations of one notification list (spec 8). */
  webhooksPerList: 3,
  /** boot_disk_size, GB (spec 8). */
  bootDiskGigabytesMin: 100,
  /** boot_disk_size, GB (spec 8). */
  bootDiskGigabytesMax: 4_096,
  /** Page of runs/list; `limit=0` means this value (spec 8). */
  runsPerPage: 999,
  /** Retention of runs, days (spec 8). */
  runRetentionDays: 60,

  /** stdout and stderr returned by get-output, bytes (spec 8). */
  outputBytes: 5 * mb,
  /** Page of runs/logs, and its default size, bytes. */
  logPageBytes: mb,
  /** Lines of a log tail. */
  logTailLines: 10_000,
  /** Live log streams of one engine. */
  logStreams: 200,
  /** Live log streams of one user on one engine. */
  logStreamsPerUser: 40,
  /** Duration of a live log stream, seconds; the client reconnects. */
  logStreamSeconds: 900,
  /** Bundles that one engine creates at the same time. */
  bundles: 4,

  /** Value passed to the exit call of a notebook, bytes (spec 8). */
  notebookResultBytes: mb,
  /** Output of a notebook cell, bytes; more fails the run (spec 8). */
  notebookCellBytes: 8 * mb,
  /** Code and output of all cells of an exported notebook, bytes. */
  notebookExportBytes: 10 * mb,
  /** One task value as JSON, bytes. */
  taskValueBytes: 48 * kb,
  /** All task values of a task as JSON, bytes. */
  taskValuesBytes: mb,

  /** Valid tokens of one user (spec 8). */
  tokensPerUser: 600,
  /** Lifetime of a new token, and its default, seconds (spec 8). */
  tokenLifetimeSeconds: 730 * daySeconds,
  /** Scopes of a token. */
  scopesPerToken: 100,
  /** Comment of a token, bytes of UTF-8. */
  tokenCommentBytes: 4_096,
  /** Retention of the audit log, days. */
  auditRetentionDays: 400,

  /** Stored notification destinations. */
  destinations: 1_000,
  /** Name of a destination, bytes of UTF-8. */
  destinationNameBytes: 4_096,
  /** URL of a destination, bytes of UTF-8. */
  destinationUrlBytes: 2_048,
  /** Addresses of an e-mail destination. */
  destinationAddresses: 100,
  /** Page of notifications/deliveries and notification-destinations. */
  deliveriesPerPage: 1_000,
  /** Retention of deliveries and their mail files, days. */
  deliveryRetentionDays: 30,

  /** Widgets, and queries, of a classic dashboard. */
  dashboardWidgets: 1_000,
  /** Name of a dashboard, bytes of UTF-8; the name of its file adds a suffix. */
  dashboardNameBytes: 230,
  /** SQL text of all queries of a classic dashboard, bytes. Parsing it blocks the event loop. */
  dashboardQueryBytes: 4 * mb,
  /** Rows of the result of a dashboard query. */
  dashboardRows: 10_000,
  /** Result of a dashboard query as JSON, bytes. */
  dashboardRowsBytes: 8 * mb,
  /** Duration of a dashboard query, seconds. */
  dashboardQuerySeconds: 30,
  /** Memory of a dashboard query, MB. */
  dashboardQueryMegabytes: 512,
  /** Dashboard queries that one engine runs at the same time. */
  dashboardQueries: 2,
  /** Dashboard queries that wait on one engine. */
  dashboardQueriesWaiting: 200,

  /** Retention of cached libraries and downloaded objects after their last use, days. */
  libraryRetentionDays: 30,
  /** Memory of the database of a pipeline update, MB; larger data spills to the disk. */
  pipelineMegabytes: 1_024,
  /** Threads of the database of a pipeline update. */
  pipelineThreads: 2,
  /** SQL files of a pipeline, bytes. */
  pipelineSourceBytes: 10 * mb,
} as const;

export type LimitName = keyof typeof defaultLimits;
export type Limits = Readonly<Record<LimitName, number>>;

/** Limits that no setting changes. */
export const fixedLimits = {
  /** Nesting depth of lists and objects in a request. */
  requestDepth: 100,
  /** Entries of an access_control_list. */
  grantsPerList: 1_000,
  /** Libraries of one libraries/install or libraries/uninstall request. */
  librariesPerRequest: 1_000,
  /** Operations of one SCIM PATCH request. */
  personPatchOperations: 100,
  /** userName and displayName of a person, bytes of UTF-8. */
  personNameBytes: 255,
  /** E-mail address, characters. */
  emailAddressCharacters: 254,

  /** Runs of one run-now-batch request. */
  runsPerLaunchRequest: 1_000,
  /** Page of jobs/list. */
  jobsPerPage: 100,
  /** Page of clusters/list. */
  clustersPerPage: 100,
  /** Page of clusters/events. */
  clusterEventsPerPage: 500,
  /** Page of the classic dashboards. */
  classicDashboardsPerPage: 250,
  /** Page of the dashboards of the newer format. */
  dashboardsPerPage: 1_000,
  /** Page of pipelines. */
  pipelinesPerPage: 100,
  /** Page of the updates of a pipeline. */
  pipelineUpdatesPerPage: 100,
  /** Page of the events of a pipeline. */
  pipelineEventsPerPage: 1_000,
  /** Page of the audit log. */
  auditEventsPerPage: 1_000,
  /** Page of Users and ServicePrincipals. */
  peoplePerPage: 1_000,
  /** One read of a file of managed_fs, and its default size, bytes. */
  fileReadBytes: mb,
  /** One block of a streaming upload to managed_fs, bytes. */
  fileBlockBytes: mb,
  /** A file that is uploaded in one request, bytes. */
  fileUploadBytes: 5 * 1_024 * mb,
  /** Entries of a directory on one page: maximum and default. */
  directoryEntries: 1_000,
  /** Time without a block after which an upload to managed_fs expires, ms. */
  uploadIdleMs: 600_000,
  /** Uploads to managed_fs that are open on one engine. */
  openUploads: 1_000,

  /** Window in which jobsCreatedPerHour counts, ms (spec 8). */
  jobCreationWindowMs: 3_600_000,
  /** Retry-After of a run refused for lack of capacity, seconds. Task runs end at unpredictable times. */
  admissionRetrySeconds: 10,
  /** Values of one dashboard parameter. */
  dashboardParameterValues: 10_000,

  /** Length of a Quartz expression, characters. */
  quartzCharacters: 1_000,
  /** Distance between two fires of a schedule, ms; a closer fire is dropped. */
  fireGapMs: 10_000,
  /** Delay up to which a fire counts as on time, ms. Covers a restart of the engine. */
  misfireThresholdMs: 60_000,
  /** Missed fires that FIRE_ALL starts. */
  catchUpFires: 100,
  /** Fires of a schedule preview. */
  previewFires: 100,

  /** Time after which an unused token is revoked, ms (spec 8). */
  unusedTokenLifetimeMs: 90 * dayMs,
  /** Interval between two recorded accesses of a token, ms. */
  tokenAccessIntervalMs: 60_000,
  /** Time for which another engine may still accept a changed token, ms (spec 8: up to 10 minutes). */
  tokenCacheMs: 1_000,
  /** Period in which auto-scoping observes a token, ms (spec 8). */
  scopeObservationMs: 30 * dayMs,
  /** Time between the reminder and the enforcement of observed scopes, ms (spec 8). */
  scopeReminderLeadMs: 7 * dayMs,
  /** JSON text of each side of an audit entry, characters. */
  auditDocumentCharacters: 20_000,
  /**
   * Addresses and tokens that one rate-limit window remembers. Bounds the memory under a flood of addresses.
   */
  rateLimitKeys: 100_000,

  /** Time for which a delivery is retried, ms. */
  deliveryPeriodMs: dayMs,
  /** Wait between two attempts of a delivery, ms. */
  deliveryBackoffMs: 3_600_000,
  /** Time for which a rotated signing secret stays valid, ms. */
  previousSecretLifetimeMs: dayMs,
  /** Time for a webhook to answer, ms. */
  webhookTimeoutMs: 10_000,
  /** Time for one step of the SMTP dialogue, ms. */
  smtpTimeoutMs: 20_000,
  /** Bytes read from the answer of a webhook. */
  webhookResponseBytes: 4_096,
  /** Part of an answer that the delivery log stores, characters. */
  responseExcerptCharacters: 1_000,
  /** One value in a chat message, characters. Slack and Teams refuse much longer ones. */
  chatValueCharacters: 1_000,
  /** Failed tasks listed in one message. */
  tasksPerMessage: 10,

  /** Stored revisions of a notebook. */
  revisionsPerNotebook: 100,
  /** Size of a stored revision, bytes; a larger file was not imported through the service. */
  revisionBytes: 64 * mb,
  /** Name of a file, bytes: the limit of common file systems. */
  fileNameBytes: 255,
  /** Path of a file, bytes: the limit of Linux. */
  filePathBytes: 4_096,

  /** Rows of a table that a notebook cell shows. */
  tableRows: 10_000,
  /** Size of a table that a notebook cell shows as JSON, bytes. */
  tableBytes: 2 * mb,
  /** One value of a table that a notebook cell shows, characters. */
  tableValueCharacters: 64 * kb,
  /** Request of a notebook to the engine (child runs), bytes. */
  notebookRequestBytes: mb,
  /** Requests of a notebook that the engine answers at the same time. */
  notebookRequests: 100,
} as const;
