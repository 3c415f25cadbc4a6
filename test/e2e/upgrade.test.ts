/**
 * Upgrades with engines as processes: the version before works on a schema that a newer version has migrated,
 * and a database from before the schema was frozen stops the start.
 */
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createConfig } from '../../cli/config.ts';
import { toStartError } from '../../cli/start-error.ts';
import { migrate } from '../../storage/migrations/migrate.ts';
import { UnsupportedSchemaError } from '../../storage/migrations/unsupported-schema-error.ts';
import { migrations } from '../../storage/migrations/registry.ts';
import { startEngineProcess, type EngineProcess } from '../harness/engine-process.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { runCommand } from '../unit/cli/cli-process.ts';

/** A migration as the next version may have it. */
const nextMigration = {
  name: '9001-add-run-priority',
  statements: [
    'alter table runs add column priority integer not null default 5',
    'alter table task_runs add column priority integer',
    'update task_runs set priority = runs.priority from runs where runs.run_id = job_run_id',
    `alter table jobs add constraint jobs_priority_in_range check (not settings ? 'priority')`,
    'create index runs_by_priority on runs (priority, run_id) where active',
    'create table run_labels (run_id bigint not null references runs on delete cascade, label text not null)',
  ],
};

let database: TestDatabase;
let directory: string;
let engines: EngineProcess[];
beforeEach(async () => {
  database = await createTestDatabase();
  directory = await mkdtemp(join(tmpdir(), 'runyard-upgrade-'));
  await chmod(directory, 0o711);
  engines = [];
});
afterEach(async () => {
  for (const engine of engines) {
    if (engine.process.exitCode !== null || engine.process.signalCode !== null) continue;
    const gone = once(engine.process, 'exit');
    engine.process.kill('SIGKILL');
    await gone;
  }
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

function databaseUrl(): string {
  const { database: name, ...server } = database.address;
  const parameters = Object.entries(server).map(([key, value]): [string, string] => [key, String(value)]);
  return `postgresql:///${name}?${new URLSearchParams(parameters)}`;
}

async function start(): Promise<EngineProcess> {
  const engine = await startEngineProcess(directory, {
    DATABASE_URL: databaseUrl(),
    RUNYARD_LEASE_MS: '1500',
  });
  engines.push(engine);
  return engine;
}

async function submit(engine: EngineProcess, go: string): Promise<number> {
  const { run_id: runId } = await engine.callOk('POST', '2.1/jobs/runs/submit', {
    run_name: 'wait',
    tasks: [
      {
        task_key: 'wait',
        existing_cluster_id: 'c',
        spark_python_task: { python_file: 'managed_fs:/wait.py', parameters: [go] },
      },
    ],
  });
  return runId;
}

test('engines of the version before and after a migration run, finish and adopt runs on one database', async () => {
  const before = await start();
  await before.putFile(
    '/wait.py',
    'import os, sys, time\nwhile not os.path.exists(sys.argv[1]): time.sleep(0.02)\n',
  );
  const go = join(directory, 'go');
  const startedBefore = await submit(before, go);
  await before.waitForRun(startedBefore, (run) => run.tasks[0].state.life_cycle_state === 'RUNNING');

  await migrate(database.db, pino({ level: 'silent' }), [...migrations, nextMigration]);
  const after = await start();
  const [onBefore, onAfter] = [await submit(before, go), await submit(after, go)];
  await after.waitForRun(onBefore, (run) => run.tasks[0].state.life_cycle_state === 'RUNNING');
  await before.kill();
  await writeFile(go, '');

  for (const runId of [startedBefore, onBefore, onAfter])
    expect((await after.waitForRunEnd(runId)).state.result_state).toBe('SUCCESS');
  const { rows } = await sql`select distinct priority from runs`.execute(database.db);
  expect(rows).toEqual([{ priority: 5 }]);
});

const advice =
  'was created by a version of Runyard from before the schema was frozen (migration 0001-first-schema) and cannot be upgraded. Start with';
const exportJobs =
  'To keep the jobs, read them from the old version with jobs/list and jobs/get, and create them in the new one with jobs/create.';

test('a start on a database from before the schema was frozen ends with one line that says what to do', async () => {
  await sql`create table kysely_migration (name text primary key, timestamp text not null)`.execute(
    database.db,
  );
  await sql`insert into kysely_migration values ('0001-first-schema', '2026-01-01T00:00:00.000Z')`.execute(
    database.db,
  );
  const { code, stderr } = await runCommand(['serve'], directory, {
    DATABASE_URL: databaseUrl(),
    RUNYARD_PORT: '0',
  });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `runyard: The database ${database.address.database} ${advice} a new database in DATABASE_URL and another RUNYARD_DATA_DIR. ${exportJobs}\n`,
  });
});

test('the line names the data directory where the database is embedded', () => {
  const config = createConfig({ RUNYARD_DATA_DIR: directory });
  expect(toStartError(new UnsupportedSchemaError('0001-first-schema'), config).message).toBe(
    `The database in the data directory ${directory} ${advice} another RUNYARD_DATA_DIR. ${exportJobs}`,
  );
});
