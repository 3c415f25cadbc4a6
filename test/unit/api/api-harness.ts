/** HTTP service on its own database, without a coordinator: started runs stay PENDING. */
import type { FastifyInstance, InjectOptions } from 'fastify';
import { pino } from 'pino';
import { createApp, type AppPorts } from '../../../api/http/app.ts';
import { createCoreOperations, addScopesOperation } from '../../../api/http/operations.ts';
import type { NotebookReader, OperationPorts, OutputReader } from '../../../api/http/ports.ts';
import { defaultLimits, type Limits } from '../../../engine/limits.ts';
import type { JobSettings } from '../../../engine/job/settings.ts';
import { builtInKinds } from '../../../engine/job/task-kinds.ts';
import { truncateUtf8, type NotebookReport, type TaskOutput } from '../../../engine/run/task-output.ts';
import { hashToken } from '../../../engine/token/token.ts';
import { createDeliveryLog } from '../../../storage/postgres/deliveries/delivery-log.ts';
import { createDestinationStore } from '../../../storage/postgres/deliveries/destinations.ts';
import { isTransientError } from '../../../storage/postgres/transient-errors.ts';
import { createLogFiles } from '../../../storage/files/log-files.ts';
import { createPermissionStore } from '../../../storage/postgres/jobs/job-permissions.ts';
import {
  createJobStore,
  createNodeStore,
  createRunReader,
  createRunRemover,
  createRunStore,
} from '../../../storage/postgres/stores.ts';
import { insertAuditEvents, listAuditEvents } from '../../../storage/postgres/people/audit.ts';
import { createPersonStore } from '../../../storage/postgres/people/principals.ts';
import { createTokenSettingsStore } from '../../../storage/postgres/tokens/token-settings.ts';
import { createLibraryReader, createLibraryStore } from '../../../storage/postgres/libraries/libraries.ts';
import { createTokenLookup } from '../../../storage/postgres/tokens/token-lookup.ts';
import { createTokenStore, ensureBootstrapAdmin } from '../../../storage/postgres/tokens/tokens.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/test-database.ts';
import { createClusterRules, noSparkApplications } from './cluster-ports.ts';

export const adminToken = 'token-of-the-administrator';

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Parsed body. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Returns an id from a response. */
export function idFrom(answer: ApiResponse, field: 'job_id' | 'run_id'): number {
  const id = answer.body[field];
  if (typeof id !== 'number') throw new Error(`The answer has no ${field}: ${JSON.stringify(answer.body)}`);
  return id;
}

export interface ApiHarness {
  readonly app: FastifyInstance;
  readonly database: TestDatabase;
  readonly ports: OperationPorts;
  /** Ids of runs whose stop was requested. */
  readonly stoppedRunIds: number[];
  /** Runs with updated timeouts, with their settings. */
  readonly updatedTimeouts: Map<number, JobSettings>;
  /** Removed directories, as `attempt <run id>` and `cluster <id>`. */
  readonly removedDirectories: string[];
  /** Outputs for get-output and export by task run id. */
  readonly outputs: Map<
    number,
    {
      readonly output?: TaskOutput;
      readonly logs?: string;
      readonly report?: NotebookReport;
      readonly source?: string;
    }
  >;
  /** Advances the otherwise frozen clock. */
  advanceClock(ms: number): void;
  get(path: string, query?: Record<string, string>): Promise<ApiResponse>;
  post(path: string, body?: object): Promise<ApiResponse>;
  send(options: InjectOptions): Promise<ApiResponse>;
  /** Ends a run and its task runs like the coordinator. */
  endRun(
    runId: number,
    how: { readonly result: 'SUCCESS' | 'FAILED' | 'CANCELED'; readonly message?: string },
  ): Promise<void>;
  /** Returns the numbers of stored jobs, runs, task runs and idempotency tokens. */
  rowCounts(): Promise<readonly number[]>;
  close(): Promise<void>;
}

const authorization = `Bearer ${adminToken}`;
const startTime = 1_770_000_000_000;

/** Starts the service; `overrides` replace some of its ports. */
export async function startApiHarness(
  overrides: Partial<AppPorts> = {},
  limits: Limits = defaultLimits,
  jobAccessControl = false,
): Promise<ApiHarness> {
  const database = await createTestDatabase();
  const { db } = database;
  let now = startTime;
  const clock = { now: () => now, runAt: () => () => undefined };
  let audited: Promise<void> = Promise.resolve();
  const stopped: number[] = [];
  const outputs: ApiHarness['outputs'] = new Map();
  const updatedTimeouts: ApiHarness['updatedTimeouts'] = new Map();
  const removed: string[] = [];
  const made = createOperationPorts({
    database,
    clock,
    limits,
    stoppedRunIds: stopped,
    updatedTimeouts,
    removedDirectories: removed,
    outputs: createOutputReader(outputs),
    notebooks: createNotebookReader(outputs),
  });
  const ports: OperationPorts = {
    ...made,
    auditEvents: async (filter) => {
      await audited;
      return listAuditEvents(db, filter);
    },
  };
  await ensureBootstrapAdmin(db, hashToken(adminToken), now);
  const enforced = jobAccessControl ? ports.permissions : undefined;
  const app = createApp({
    operations: addScopesOperation(createCoreOperations({ ...ports, owners: enforced?.listOwners })),
    permissions: enforced,
    auth: { tokens: createTokenLookup(db), clock, log: pino({ level: 'silent' }) },
    audit: (event) => {
      audited = audited.then(() => insertAuditEvents(db, [event]));
    },
    metrics: { databaseQueries: database.queryCount, activeRuns: () => 0 },
    metricsOpen: false,
    workspace: ports.workspaceInfo,
    checkReadiness: async () => ({ ready: true }),
    isTransientError,
    limits,
    log: pino({ level: 'silent' }),
    ...overrides,
  });
  const send = async (options: InjectOptions): Promise<ApiResponse> => {
    const response = await app.inject(options);
    const json =
      response.body !== '' && String(response.headers['content-type']).startsWith('application/json');
    return {
      status: response.statusCode,
      headers: response.headers,
      body: json ? response.json() : { text: response.body },
    };
  };
  return {
    app,
    database,
    ports,
    stoppedRunIds: stopped,
    updatedTimeouts,
    removedDirectories: removed,
    outputs,
    send,
    advanceClock: (ms) => {
      now += ms;
    },
    get: (path, query = {}) =>
      send({ method: 'GET', url: `/api/${path}`, query, headers: { authorization } }),
    post: (path, body = {}) =>
      send({ method: 'POST', url: `/api/${path}`, payload: body, headers: { authorization } }),
    endRun: (runId, how) => endRun(database, runId, { message: '', ...how }),
    rowCounts: () =>
      Promise.all(
        (['jobs', 'runs', 'task_runs', 'idempotency_tokens'] as const).map((table) =>
          countRows(database, table),
        ),
      ),
    async close() {
      await app.close();
      await audited;
      await database.drop();
    },
  };
}

async function countRows(
  { db }: TestDatabase,
  table: 'jobs' | 'runs' | 'task_runs' | 'idempotency_tokens',
): Promise<number> {
  const { count } = await db
    .selectFrom(table)
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Times of a run: one second of setup, two of execution, three of cleanup. */
async function endRun(
  { db }: TestDatabase,
  runId: number,
  { result, message }: { readonly result: 'SUCCESS' | 'FAILED' | 'CANCELED'; readonly message: string },
): Promise<void> {
  const { start_time: start } = await db
    .selectFrom('runs')
    .select('start_time')
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow();
  const at = (ms: number): number => Number(start) + ms;
  const end = {
    state: 'TERMINATED',
    active: false,
    result,
    message,
    start_time: at(0),
    running_time: at(1_000),
    terminating_time: at(3_000),
    end_time: at(6_000),
  } as const;
  await db.updateTable('runs').set(end).where('run_id', '=', runId).execute();
  await db.updateTable('task_runs').set(end).where('job_run_id', '=', runId).execute();
}

function createOperationPorts({
  database: { db },
  clock,
  limits,
  stoppedRunIds,
  updatedTimeouts,
  removedDirectories,
  outputs,
  notebooks,
}: Pick<OperationPorts, 'clock' | 'limits' | 'outputs' | 'notebooks'> &
  Pick<ApiHarness, 'database' | 'stoppedRunIds' | 'updatedTimeouts' | 'removedDirectories'>): OperationPorts {
  const log = pino({ level: 'silent' });
  const runs = createRunStore(db, clock, log);
  const permissions = createPermissionStore(db);
  return {
    jobs: createJobStore(db),
    permissions,
    owners: undefined,
    tokens: createTokenStore(db),
    runs: createRunReader(db),
    outputs,
    notebooks,
    sparkApplications: noSparkApplications,
    logs: createLogFiles({ runs: { title: 'runs', directory: '/nonexistent' } }),
    launching: { runs, clock, limits, nodeId: 'node-1', acceptRun: () => undefined },
    cancelling: {
      runs,
      stopRun: (runId) => {
        stoppedRunIds.push(runId);
      },
    },
    removing: {
      runs: createRunRemover(db),
      files: {
        removeAttempt: async (runId) => {
          removedDirectories.push(`attempt ${runId}`);
        },
        removeCluster: async (clusterId) => {
          removedDirectories.push(`cluster ${clusterId}`);
        },
      },
    },
    nodes: createNodeStore(db),
    libraries: createLibraryStore(db, clock, log),
    libraryStates: createLibraryReader(db),
    startInstallation: () => undefined,
    onJobChanged: (changed) => {
      for (const { runId, settings } of changed) updatedTimeouts.set(runId, settings);
    },
    clock,
    limits,
    kinds: builtInKinds,
    clusterRules: createClusterRules(db, permissions),
    destinations: createDestinationStore(db),
    deliveries: createDeliveryLog(db),
    destinationRules: { limits, allowPrivate: false },
    people: createPersonStore(db),
    tokenRules: createTokenSettingsStore(db),
    auditEvents: (filter) => listAuditEvents(db, filter),
    workspaceInfo: { publicUrl: () => 'http://runyard.test', workspaceId: '17' },
  };
}

function createOutputReader(outputs: ApiHarness['outputs']): OutputReader {
  return {
    readOutput: async (runId) => outputs.get(runId)?.output,
    logs: async (runId, bytes) => {
      const text = outputs.get(runId)?.logs ?? '';
      return { text: text.slice(0, bytes), truncated: text.length > bytes };
    },
    readTaskValues: async () => ({}),
  };
}

function createNotebookReader(outputs: ApiHarness['outputs']): NotebookReader {
  return {
    report: async (runId) => outputs.get(runId)?.report,
    source: async (runId, bytes) => {
      const source = outputs.get(runId)?.source;
      return source === undefined ? undefined : truncateUtf8(source, bytes).text;
    },
  };
}
