/** The HTTP service on a database of its own, without a coordinator: what is started stays PENDING. */
import type { FastifyInstance, InjectOptions } from 'fastify';
import { pino } from 'pino';
import { createApp, type AppPorts } from '../../api/app.ts';
import { operationsOf } from '../../api/operations.ts';
import type { OperationPorts, OutputReader } from '../../api/ports.ts';
import { defaultLimits, type Limits } from '../../engine/limits.ts';
import { taskKinds } from '../../engine/job/task-kinds.ts';
import type { TaskOutput } from '../../engine/run/output.ts';
import { tokenHash } from '../../engine/token/token.ts';
import { passing } from '../../storage/faults.ts';
import { createJob, deleteJob, findJob, listJobs } from '../../storage/jobs.ts';
import { launch } from '../../storage/launches.ts';
import { findRun, listRuns, requestStop } from '../../storage/runs.ts';
import { taskRunsOf } from '../../storage/task-runs.ts';
import { ensureBootstrapAdmin, findToken, noteTokenAccess } from '../../storage/tokens.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';

export const adminToken = 'token-of-the-administrator';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The parsed body. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** The id that an answer carries. */
export function idIn(answer: Answer, field: 'job_id' | 'run_id'): number {
  const id = answer.body[field];
  if (typeof id !== 'number') throw new Error(`The answer has no ${field}: ${JSON.stringify(answer.body)}`);
  return id;
}

export interface TestService {
  readonly app: FastifyInstance;
  readonly database: TestDatabase;
  readonly ports: OperationPorts;
  /** Ids of the runs that were told to stop. */
  readonly stopped: number[];
  /** What get-output finds, by the id of the task run. */
  readonly outputs: Map<number, { readonly output?: TaskOutput; readonly logs?: string }>;
  /** Moves the clock, which stands still otherwise. */
  tick(ms: number): void;
  get(path: string, query?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: object): Promise<Answer>;
  send(options: InjectOptions): Promise<Answer>;
  /** Ends a run and its task runs, as the coordinator would. */
  end(runId: number, how: { readonly result: 'SUCCESS' | 'FAILED' | 'CANCELED'; readonly message?: string }): Promise<void>;
  /** How many jobs, runs, task runs and idempotency tokens are stored. */
  rows(): Promise<readonly number[]>;
  close(): Promise<void>;
}

const authorization = `Bearer ${adminToken}`;
const startOfTime = 1_770_000_000_000;

/** Starts the service; `overrides` replace parts of what it is made of. */
export async function startService(overrides: Partial<AppPorts> = {}, limits: Limits = defaultLimits): Promise<TestService> {
  const database = await createTestDatabase();
  const { db } = database;
  let now = startOfTime;
  const clock = { now: () => now, at: () => () => undefined };
  const stopped: number[] = [];
  const outputs: TestService['outputs'] = new Map();
  const ports = portsOf({ database, clock, limits, stopped, outputs: outputsOf(outputs) });
  await ensureBootstrapAdmin(db, tokenHash(adminToken), now);
  const app = createApp({
    operations: operationsOf(ports),
    auth: { tokens: { find: (hash) => findToken(db, hash), noteAccess: (id, at) => noteTokenAccess(db, id, at) }, clock, log: pino({ level: 'silent' }) },
    metrics: { databaseQueries: database.queries, activeRuns: () => 0 },
    metricsOpen: false,
    ready: async () => ({ ready: true }),
    isPassing: passing,
    limits,
    log: pino({ level: 'silent' }),
    ...overrides,
  });
  const send = async (options: InjectOptions): Promise<Answer> => {
    const response = await app.inject(options);
    const json = response.body !== '' && String(response.headers['content-type']).startsWith('application/json');
    return { status: response.statusCode, headers: response.headers, body: json ? response.json() : { text: response.body } };
  };
  return {
    app, database, ports, stopped, outputs, send,
    tick: (ms) => { now += ms; },
    get: (path, query = {}) => send({ method: 'GET', url: `/api/${path}`, query, headers: { authorization } }),
    post: (path, body = {}) => send({ method: 'POST', url: `/api/${path}`, payload: body, headers: { authorization } }),
    end: (runId, how) => endRun(database, runId, { at: now, message: '', ...how }),
    rows: () => Promise.all((['jobs', 'runs', 'task_runs', 'idempotency_tokens'] as const).map((table) => countRows(database, table))),
    async close() {
      await app.close();
      await database.drop();
    },
  };
}

async function countRows({ db }: TestDatabase, table: 'jobs' | 'runs' | 'task_runs' | 'idempotency_tokens'): Promise<number> {
  const { count } = await db.selectFrom(table).select((row) => row.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  return count;
}

/** One second of setup, two of execution, three of cleanup, over at `at`. */
async function endRun(
  { db }: TestDatabase, runId: number,
  { result, message, at }: { readonly result: 'SUCCESS' | 'FAILED' | 'CANCELED'; readonly message: string; readonly at: number },
): Promise<void> {
  const end = {
    state: 'TERMINATED', active: false, result, message,
    start_time: at - 6_000, running_time: at - 5_000, terminating_time: at - 3_000, end_time: at,
  } as const;
  await db.updateTable('runs').set(end).where('run_id', '=', runId).execute();
  await db.updateTable('task_runs').set(end).where('job_run_id', '=', runId).execute();
}

function portsOf(
  { database: { db }, clock, limits, stopped, outputs }:
  Pick<OperationPorts, 'clock' | 'limits' | 'outputs'> & { database: TestDatabase; stopped: number[] },
): OperationPorts {
  return {
    jobs: {
      create: (job, savedJobs) => createJob(db, job, savedJobs),
      find: (jobId) => findJob(db, jobId),
      list: (filter) => listJobs(db, filter),
      remove: (jobId, now, notices) => deleteJob(db, jobId, now, notices),
    },
    runs: {
      find: (runId) => findRun(db, runId),
      list: (filter) => listRuns(db, filter),
      tasksOf: (runIds) => taskRunsOf(db, runIds),
    },
    outputs,
    launching: { runs: { launch: (steps) => launch(db, steps) }, clock, limits, nodeId: 'node-1', accept: () => undefined },
    cancelling: {
      runs: { find: (runId) => findRun(db, runId), requestStop: (runId, reason) => requestStop(db, runId, reason) },
      stop: (runId) => { stopped.push(runId); },
    },
    clock, limits, kinds: taskKinds,
    site: { publicUrl: () => 'http://runyard.test', workspaceId: '17' },
  };
}

function outputsOf(outputs: TestService['outputs']): OutputReader {
  return {
    read: async (runId) => outputs.get(runId)?.output,
    logs: async (runId, bytes) => {
      const text = outputs.get(runId)?.logs ?? '';
      return { text: text.slice(0, bytes), truncated: text.length > bytes };
    },
  };
}
