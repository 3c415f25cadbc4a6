/** Service with all operations on its own database and directory, and the invariants of its responses. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { InjectOptions } from 'fastify';
import { pino } from 'pino';
import { expect } from 'vitest';
import { createApp } from '../../../api/http/app.ts';
import type { Operation } from '../../../api/http/operation.ts';
import { httpStatusOf } from '../../../engine/errors.ts';
import { defaultLimits } from '../../../engine/limits.ts';
import { isTransientError } from '../../../storage/postgres/transient-errors.ts';
import { createTokenLookup } from '../../../storage/postgres/tokens/token-lookup.ts';
import { addDestinations } from '../../harness/destinations.ts';
import { addUser } from '../../harness/users.ts';
import { adminToken, idFrom, startApiHarness, type ApiResponse, type ApiHarness } from './api-harness.ts';
import { createOperationsOf } from './all-operations.ts';

export interface FuzzedService {
  readonly operations: readonly Operation[];
  /** Ids from responses, including those of deleted jobs and runs. */
  readonly knownIds: { readonly jobs: number[]; readonly runs: number[] };
  /** Tokens of an administrator and of a user with few permissions, and an unknown token. */
  readonly tokens: readonly string[];
  /** Sends a request and checks the invariants of the response. */
  send(request: InjectOptions): Promise<ApiResponse>;
  close(): Promise<void>;
}

/** Quotas that no test reaches. */
const limits = {
  ...defaultLimits,
  savedJobs: 1e9,
  jobsCreatedPerHour: 1e9,
  concurrentTaskRuns: 1e9,
  requestsPerSecondPerToken: 1e9,
  failedCredentialsPerMinute: 1e9,
  // Runs stay active forever, so a followed log never ends.
  logStreamSeconds: 0,
};

/** Starts the service with job access control and with jobs, runs and files for the requests. */
export async function startFuzzedService(): Promise<FuzzedService> {
  const directory = await mkdtemp(join(tmpdir(), 'runyard-fuzz-'));
  const base = await startApiHarness({}, limits, true);
  const { db } = base.database;
  const { permissions, clock } = base.ports;
  const operations = createOperationsOf(base, directory, limits);
  const log = pino({ level: 'silent' });
  const app = createApp({
    operations,
    permissions,
    limits,
    log,
    isTransientError: isTransientError,
    metricsOpen: false,
    workspace: base.ports.workspaceInfo,
    auth: { tokens: createTokenLookup(db), clock, log },
    audit: () => undefined,
    metrics: { databaseQueries: base.database.queryCount, activeRuns: () => 0 },
    checkReadiness: async () => ({ ready: true }),
  });
  const known: FuzzedService['knownIds'] = { jobs: [], runs: [] };
  const tokens = [adminToken, await addUser(db, 'ann'), 'unknown-token'];
  await createFixtures(base, known);
  // Audit entries are written after the response; a late entry must not count as a
  // change.
  await base.ports.auditEvents({
    userName: undefined,
    action: undefined,
    from: undefined,
    to: undefined,
    before: undefined,
    limit: 1,
  });
  const tables = await listTables(base);
  let before = await captureState(base, tables, directory);
  return {
    operations,
    knownIds: known,
    tokens,
    async send(request) {
      const response = await app.inject(request);
      const answer: ApiResponse = {
        status: response.statusCode,
        headers: response.headers,
        body: isStreamed(response.headers) || response.body === '' ? {} : parseBody(response.body),
      };
      const [expected, found] = [before, await captureState(base, tables, directory)];
      before = found;
      if (answer.status >= 400) expect(found).toEqual(expected);
      // The answer to a HEAD request has no body.
      if (request.method === 'HEAD') expect(answer.status).toBeLessThan(500);
      else assertValidResponse(answer);
      for (const [field, ids] of [
        ['job_id', known.jobs],
        ['run_id', known.runs],
      ] as const) {
        const id = answer.body[field];
        if (typeof id === 'number') ids.push(id);
      }
      return answer;
    },
    async close() {
      await app.close();
      await base.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Creates jobs of both formats with active, terminated and skipped runs, and submissions. */
async function createFixtures(service: ApiHarness, known: FuzzedService['knownIds']): Promise<void> {
  await addDestinations(service.database.db);
  const single = { name: 'nightly', existing_cluster_id: 'c', notebook_task: { notebook_path: '/a' } };
  const python = { existing_cluster_id: 'c', spark_python_task: { python_file: 'managed_fs:/a' } };
  const multi = {
    name: 'graph',
    tasks: [
      { task_key: 'a', ...python },
      { task_key: 'b', depends_on: [{ task_key: 'a' }], ...python },
    ],
  };
  for (let round = 0; round < 8; round += 1) {
    for (const [version, settings] of [
      ['2.0', single],
      ['2.1', multi],
    ] as const) {
      const job = idFrom(
        await service.post(`${version}/jobs/create`, {
          ...settings,
          access_control_list: [{ user_name: 'ann', permission_level: 'CAN_MANAGE' }].slice(round % 2),
        }),
        'job_id',
      );
      known.jobs.push(job);
      // The second run is skipped while the first is active.
      for (const end of [round % 2 === 0, false]) {
        const run = idFrom(await service.post('2.1/jobs/run-now', { job_id: job }), 'run_id');
        known.runs.push(run);
        if (end) await service.endRun(run, { result: 'FAILED' });
      }
    }
    known.runs.push(
      idFrom(await service.post('2.1/jobs/runs/submit', { run_name: 'once', tasks: multi.tasks }), 'run_id'),
    );
  }
}

/**
 * Checks the invariants of every response: no internal error, the shape of errors, and messages that users
 * and clients can process.
 */
export function assertValidResponse({
  status,
  headers,
  body,
}: Pick<ApiResponse, 'status' | 'headers' | 'body'>): void {
  expect(status, JSON.stringify(body)).toBeLessThan(500);
  if (status === 200 && isStreamed(headers)) return;
  expect(String(headers['content-type'])).toMatch(/^application\/json\b/);
  if (status < 400) return;
  expect(body).toEqual({
    error_code: expect.stringMatching(/^[A-Z_]+$/),
    message: expect.stringMatching(/\S/),
  });
  const { error_code: code, message } = body;
  expect(new Map<unknown, number>(Object.entries(httpStatusOf)).get(code)).toBe(status);
  const said = String(message);
  expect(said.length).toBeLessThanOrEqual(maxMessageLength);
  expect(said).not.toMatch(forbiddenMessages);
  // A lone surrogate breaks output.
  expect(said.isWellFormed(), said).toBe(true);
}

/** Tells whether a response is an event stream, an archive or a file. */
export function isStreamed(headers: ApiResponse['headers']): boolean {
  return /^(text\/event-stream|application\/(gzip|octet-stream))/.test(String(headers['content-type']));
}

const maxMessageLength = 1_100;

/** Messages that clients treat as transient errors and retry for minutes. */
const forbiddenMessages = new RegExp(
  [
    'Unexpected error',
    'ClusterNotReadyException',
    'Please try again later or try a faster operation\\.',
    'RPC token bucket limit has been exceeded',
    'Unknown worker environment',
    'worker env .* not found',
    'Timed out after ',
    'deadline exceeded',
  ].join('|'),
  'i',
);

function parseBody(body: string): ApiResponse['body'] {
  const value: unknown = JSON.parse(body);
  expect(value).toBeTypeOf('object');
  return { ...Object(value) };
}

/** All tables except tokens, whose last use may be updated at any time. */
async function listTables({ database: { db } }: ApiHarness): Promise<string[]> {
  const { rows } = await sql<{
    tablename: string;
  }>`select tablename from pg_tables where schemaname = 'public' and tablename <> 'tokens'`.execute(db);
  return rows.map((row) => row.tablename);
}

/**
 * Returns the row versions of every table, which change even when a write stores the same values,
 * and every file.
 */
async function captureState(
  { database: { db } }: ApiHarness,
  tables: readonly string[],
  directory: string,
): Promise<unknown> {
  const versions = sql.join(
    tables.map(
      (table) =>
        sql`(select json_build_array(count(*), sum(hashtextextended(xmin::text || ctid::text, 0))::text) from ${sql.table(table)}) as ${sql.id(table)}`,
    ),
  );
  const tokens = sql`(select sum(hashtextextended((to_jsonb(tokens) - 'last_accessed_time')::text, 0))::text from tokens) as tokens`;
  const { rows } = await sql`select ${versions}, ${tokens}`.execute(db);
  return [rows, await listFiles(directory)];
}

async function listFiles(directory: string): Promise<unknown> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const { size, mtimeMs, ino } = await stat(path);
      // A discarded temporary file changes the time of its directory.
      return [path, ino, ...(entry.isDirectory() ? [] : [size, mtimeMs])];
    }),
  );
}
