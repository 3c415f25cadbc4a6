/** Collects the evidence of a scenario: tables, files and processes. */
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { openDatabase } from '../../storage/postgres/database.ts';
import { allRuns } from '../../storage/postgres/runs/runs.ts';
import type { EmbeddedConnection } from '../../storage/embedded/embedded-postgres.ts';
import type { Evidence, ProgramRecord } from './evidence.ts';
import type { Ledger } from './client-ledger.ts';
import { findTaskProcesses } from './fault-schedule.ts';

export interface EvidenceSources {
  readonly connection: EmbeddedConnection;
  readonly runsDirectory: string;
  /** Directory of the files that the task programs write. */
  readonly programRecordsDirectory: string;
}

export async function collectEvidence(
  { connection, runsDirectory, programRecordsDirectory }: EvidenceSources,
  ledger: Ledger,
): Promise<Evidence> {
  const { db, close } = openDatabase(connection, pino({ level: 'silent' }), { maxConnections: 1 });
  try {
    // One snapshot of all tables: a write between two queries would look like a contradiction.
    const tables = await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (transaction) => ({
        jobs: await transaction.selectFrom('jobs').selectAll().execute(),
        runs: await allRuns(transaction).execute(),
        attempts: await transaction.selectFrom('task_runs').selectAll().execute(),
        repairs: await transaction.selectFrom('repairs').selectAll().execute(),
        outboxEvents: await transaction.selectFrom('outbox').selectAll().execute(),
        deliveries: await transaction.selectFrom('deliveries').select('outbox_event_id').execute(),
        clusters: await transaction.selectFrom('clusters').selectAll().execute(),
        tokens: await transaction.selectFrom('idempotency_tokens').selectAll().execute(),
      }));
    const programRecords = await readProgramRecords(programRecordsDirectory);
    const logs = new Map(
      await Promise.all(
        [...programRecords.keys()].map(
          async (attempt): Promise<[number, { stdout: string; stderr: string }]> => [
            attempt,
            {
              stdout: await hashOf(join(runsDirectory, String(attempt), 'stdout')),
              stderr: await hashOf(join(runsDirectory, String(attempt), 'stderr')),
            },
          ],
        ),
      ),
    );
    return {
      ...tables,
      programRecords,
      logs,
      liveProcesses: await findTaskProcesses(runsDirectory),
      acknowledged: ledger.acknowledgedRuns,
      cancelledRuns: new Set(ledger.cancelledRuns.keys()),
      killedAttempts: ledger.killedAttempts,
      unexpectedResponses: ledger.unexpectedResponses,
    };
  } finally {
    await close();
  }
}

/** Counts active runs, and all runs and ended attempts as a measure of progress. */
export async function countActiveRuns(
  connection: EmbeddedConnection,
): Promise<{ readonly active: number; readonly all: number }> {
  const { db, close } = openDatabase(connection, pino({ level: 'silent' }), { maxConnections: 1 });
  try {
    const { active, all, attempts } = await db
      .selectFrom('runs')
      .select(({ fn, selectFrom }) => [
        fn.count<number>('run_id').filterWhere('active', '=', true).as('active'),
        fn.count<number>('run_id').as('all'),
        selectFrom('task_runs')
          .select((inner) => inner.fn.countAll<number>().as('attempts'))
          .where('active', '=', false)
          .as('attempts'),
      ])
      .executeTakeFirstOrThrow();
    return { active, all: all + (attempts ?? 0) };
  } finally {
    await close();
  }
}

async function readProgramRecords(directory: string): Promise<Map<number, ProgramRecord>> {
  const names = await readdir(directory);
  return new Map(
    await Promise.all(
      names.map(async (name): Promise<[number, ProgramRecord]> => {
        const path = join(directory, name);
        const [text, { mtimeMs }] = [await readFile(path, 'utf8'), await stat(path)];
        const lines = text
          .trim()
          .split('\n')
          .map((line) => line.split(' '));
        const [, at, code, stdout = '', stderr = ''] = lines.find(([word]) => word === 'end') ?? [];
        return [
          Number(name),
          {
            starts: lines
              .filter(([word]) => word === 'start')
              .map(([, pid, started]) => ({ pid: Number(pid), at: Number(started) })),
            end: at === undefined ? undefined : { at: Number(at), code: Number(code), stdout, stderr },
            lastSeenAlive: Math.floor(mtimeMs),
          },
        ];
      }),
    ),
  );
}

async function hashOf(path: string): Promise<string> {
  const content = await readFile(path).catch(() => '');
  return createHash('sha256').update(content).digest('hex');
}
