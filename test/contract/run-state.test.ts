/** States of runs by outcome, and every transition as stored in the database (spec 2.6, 3.1, 3.2). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lifeCycleStates, resultStates } from '../../engine/run/states.ts';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

let runyard: TestService;
/** How each life ended, as runs/get shows it in 2.0. */
let lives: Readonly<Record<Life, ResponseBody>>;
/** Everything that runs/get showed on the way, of all lives. */
const seen: ResponseBody[] = [];

type Life = 'succeeded' | 'failed' | 'cancelled' | 'timedOut' | 'skipped' | 'lost' | 'multi';

const compute = { existing_cluster_id: 'c' };
const python = (file: string) => ({ ...compute, spark_python_task: { python_file: `managed_fs:/${file}` } });
const get = (run_id: number): Promise<ResponseBody> => runyard.callOk('GET', '2.0/jobs/runs/get', { run_id });

/** Waits for a state, and keeps what it sees meanwhile. */
async function when(run_id: number, holds: (state: string) => boolean): Promise<ResponseBody> {
  for (;;) {
    const run = await get(run_id);
    seen.push(run, ...(run.tasks ?? []));
    if (holds(run.state.life_cycle_state)) return run;
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
}
const ended = (run_id: number) =>
  when(run_id, (state) => ['TERMINATED', 'SKIPPED', 'INTERNAL_ERROR'].includes(state));
const running = (run_id: number) => when(run_id, (state) => state === 'RUNNING');
const submit = async (body: object): Promise<number> =>
  (await runyard.callOk('POST', '2.0/jobs/runs/submit', body)).run_id;

async function cancelled(): Promise<ResponseBody> {
  const run_id = await submit(python('wait.py'));
  await running(run_id);
  expect(await runyard.callOk('POST', '2.0/jobs/runs/cancel', { run_id })).toEqual({});
  return ended(run_id);
}

/** Its process is killed together with the supervisor, so that nobody can say how it ended. */
async function lost(): Promise<ResponseBody> {
  const run_id = await submit(python('wait.py'));
  await running(run_id);
  const claim = join(runyard.dataDirectory, 'runs', String(run_id), 'pid');
  let text = '';
  while (!text.endsWith('\n')) text = await readFile(claim, 'utf8').catch(() => '');
  process.kill(-Number(text.split(' ')[0]), 'SIGKILL');
  return ended(run_id);
}

async function skipped(): Promise<ResponseBody> {
  const { job_id } = await runyard.callOk('POST', '2.0/jobs/create', {
    ...python('ok.py'),
    max_concurrent_runs: 0,
  });
  return ended((await runyard.callOk('POST', '2.0/jobs/run-now', { job_id })).run_id);
}

async function multi(): Promise<ResponseBody> {
  const after = (task_key: string, on: string) => ({
    task_key,
    depends_on: [{ task_key: on }],
    ...python('ok.py'),
  });
  return ended(
    await submit({
      tasks: [
        { task_key: 'bad', ...python('fail.py') },
        after('next', 'bad'),
        { task_key: 'good', ...python('ok.py') },
      ],
    }),
  );
}

beforeAll(async () => {
  runyard = await startTestService({ clusterStartMs: 300 });
  await sql`create table life (at serial, of text, run_id bigint, was text, became text)`.execute(
    runyard.database.db,
  );
  await sql`create function note_life() returns trigger language plpgsql as $$ begin
    insert into life (of, run_id, was, became) values (tg_table_name, new.run_id, old.state, new.state); return new; end $$`.execute(
    runyard.database.db,
  );
  for (const table of ['runs', 'task_runs']) {
    await sql`create trigger note_life after update on ${sql.table(table)} for each row when (old.state <> new.state) execute function note_life()`.execute(
      runyard.database.db,
    );
  }
  await runyard.putFile('/ok.py', 'print("ok")\n');
  await runyard.putFile('/fail.py', 'raise ValueError("no good")\n');
  await runyard.putFile('/wait.py', 'import time\ntime.sleep(600)\n');
  const [succeeded, failed, timedOut, ...others] = await Promise.all([
    submit(python('ok.py')).then(ended),
    submit({
      new_cluster: { num_workers: 1, spark_version: '1', node_type_id: 'n' },
      spark_python_task: { python_file: 'managed_fs:/fail.py' },
    }).then(ended),
    submit({ ...python('wait.py'), timeout_seconds: 2 }).then(ended),
    cancelled(),
    lost(),
    skipped(),
    multi(),
  ]);
  lives = {
    succeeded,
    failed,
    timedOut,
    cancelled: others[0],
    lost: others[1],
    skipped: others[2],
    multi: others[3],
  };
});
afterAll(() => runyard.stop());

const taskOf = (run: ResponseBody, key: string): ResponseBody =>
  run.tasks.find((task: ResponseBody) => task.task_key === key);

describe('spec 2.6', () => {
  test.each<[Life, string, string | undefined]>([
    ['succeeded', 'TERMINATED', 'SUCCESS'],
    ['failed', 'TERMINATED', 'FAILED'],
    ['cancelled', 'TERMINATED', 'CANCELED'],
    ['timedOut', 'TERMINATED', 'TIMEDOUT'],
    ['skipped', 'SKIPPED', undefined],
    ['lost', 'INTERNAL_ERROR', 'FAILED'],
    ['multi', 'TERMINATED', 'FAILED'],
  ])(
    'spec 2.6 life_cycle_state and result_state of a run that %s: %s, %s',
    (life, life_cycle_state, result_state) => {
      expect(lives[life].state.life_cycle_state).toBe(life_cycle_state);
      expect(lives[life].state.result_state).toBe(result_state);
      expect(Object.hasOwn(lives[life].state, 'result_state')).toBe(result_state !== undefined);
    },
  );

  test('spec 2.6 user_cancelled_or_timedout: true when cancelled or out of time, and only then', () => {
    const flags = Object.entries(lives).map(([life, { state }]) => [life, state.user_cancelled_or_timedout]);
    expect(Object.fromEntries(flags)).toEqual({
      succeeded: false,
      failed: false,
      cancelled: true,
      timedOut: true,
      skipped: false,
      lost: false,
      multi: false,
    });
  });

  test('spec 2.6 state_message: a text, always', () => {
    expect(seen.every(({ state }) => typeof state.state_message === 'string')).toBe(true);
    const messages = Object.fromEntries(
      Object.entries(lives).map(([life, { state }]) => [life, state.state_message]),
    );
    expect(messages).toEqual({
      succeeded: '',
      failed: 'Workload failed, see run output for details',
      cancelled: 'Run cancelled by user',
      timedOut: 'Run timed out',
      skipped: 'Skipping this run because the limit of 0 maximum concurrent runs has been reached.',
      lost: expect.stringMatching(/^The task's process \d+ is gone/),
      multi: 'Task bad failed with message: Workload failed, see run output for details.',
    });
  });
});

/** The states that a run or a task run went through, from its first. */
async function wayOf({ run_id }: ResponseBody, of: 'runs' | 'task_runs'): Promise<string[]> {
  const { rows } = await sql<{
    was: string;
    became: string;
  }>`select was, became from life where run_id = ${run_id} and of = ${of} order by at`.execute(
    runyard.database.db,
  );
  return rows.flatMap(({ was, became }, index) => (index === 0 ? [was, became] : [became]));
}

describe('spec 3.1: the way of a run', () => {
  const whole = ['PENDING', 'RUNNING', 'TERMINATING', 'TERMINATED'];

  test.each<[string, Life, string[]]>([
    ['resources prepared, task finished, cleanup done', 'succeeded', whole],
    ['task finished with a failure', 'failed', whole],
    ['cancelled while running', 'cancelled', whole],
    ['timed out while running', 'timedOut', whole],
    ['failure in the service while running', 'lost', ['PENDING', 'RUNNING', 'INTERNAL_ERROR']],
    ['several tasks', 'multi', whole],
  ])('spec 3.1: %s', async (_condition, life, way) => {
    expect(await wayOf(lives[life], 'runs')).toEqual(way);
    if (life !== 'multi') expect(await wayOf(lives[life], 'task_runs')).toEqual(way);
  });

  test('spec 3.1: a task of several goes the same way; one whose dependency failed is SKIPPED', async () => {
    expect(await wayOf(taskOf(lives.multi, 'good'), 'task_runs')).toEqual(whole);
    expect(await wayOf(taskOf(lives.multi, 'bad'), 'task_runs')).toEqual(whole);
    expect(await wayOf(taskOf(lives.multi, 'next'), 'task_runs')).toEqual(['PENDING', 'SKIPPED']);
  });

  test('spec 3.1: max_concurrent_runs reached: SKIPPED at once, no resources', async () => {
    expect(await wayOf(lives.skipped, 'runs')).toEqual([]);
    expect(lives.skipped.end_time).toBe(lives.skipped.start_time);
    expect(
      await runyard.database.db
        .selectFrom('clusters')
        .selectAll()
        .where('job_run_id', '=', lives.skipped.run_id)
        .execute(),
    ).toEqual([]);
  });

  test('spec 3.1: no other transition was made than those of the table', async () => {
    const { rows } = await sql<{
      way: string;
    }>`select distinct was || ' ' || became as way from life`.execute(runyard.database.db);
    const table = [
      'PENDING RUNNING',
      'PENDING SKIPPED',
      'PENDING INTERNAL_ERROR',
      'RUNNING TERMINATING',
      'RUNNING INTERNAL_ERROR',
      'TERMINATING TERMINATED',
      'TERMINATING INTERNAL_ERROR',
    ];
    expect(table).toEqual(expect.arrayContaining(rows.map((row) => row.way)));
  });

  test('spec 3.1: only its words are shown, and a run that was cancelled again stays as it is', async () => {
    for (const { state } of seen) expect(lifeCycleStates).toContain(state.life_cycle_state);
    for (const run of Object.values(lives)) {
      expect(await runyard.callOk('POST', '2.0/jobs/runs/cancel', { run_id: run.run_id })).toEqual({});
      expect(await get(run.run_id)).toEqual(run);
    }
  });
});

describe('spec 3.2: the result', () => {
  const shown = (state: string): boolean[] => [
    ...new Set(
      seen.filter((run) => run.state.life_cycle_state === state).map((run) => 'result_state' in run.state),
    ),
  ];

  test.each([
    ['PENDING', false],
    ['RUNNING', false],
    ['SKIPPED', false],
    ['TERMINATED', true],
  ] as const)('spec 3.2: with %s it is there: %s', (state, there) => {
    expect(shown(state)).toEqual([there]);
  });

  test('spec 3.2: with INTERNAL_ERROR it is there when the task had been started', () => {
    expect(lives.lost.state.result_state).toBe('FAILED');
  });

  test('spec 3.2: with TERMINATING it is there, as the table of runs demands, and is the one of the end', async () => {
    expect(shown('TERMINATING').filter((there) => !there)).toEqual([]);
    const early = seen
      .filter((run) => run.state.life_cycle_state === 'TERMINATING')
      .map((run) => [run.run_id, run.state.result_state]);
    const late = new Map(
      seen
        .filter((run) => run.state.life_cycle_state === 'TERMINATED')
        .map((run) => [run.run_id, run.state.result_state]),
    );
    for (const [runId, result] of early) expect(late.get(runId)).toBe(result);
    const bare = sql`update runs set result = null, state = 'TERMINATING', active = true, end_time = null where run_id = ${lives.succeeded.run_id}`;
    await expect(bare.execute(runyard.database.db)).rejects.toThrow(/violates check constraint/);
  });

  test('spec 3.2: only its words are used', () => {
    for (const { state } of seen)
      if ('result_state' in state) expect(resultStates).toContain(state.result_state);
  });

  test('spec 3.2: PENDING, RUNNING and TERMINATING runs are active', async () => {
    const run_id = await submit(python('wait.py'));
    const listed = async (query: object) =>
      (await runyard.callOk('GET', '2.0/jobs/runs/list', { limit: 0, ...query })).runs.map(
        (run: ResponseBody) => run.run_id,
      );
    await running(run_id);
    expect(await listed({ active_only: true })).toEqual([run_id]);
    expect((await listed({ completed_only: true })).toSorted()).toEqual(
      Object.values(lives)
        .map((run) => run.run_id)
        .toSorted(),
    );
    await runyard.callOk('POST', '2.0/jobs/runs/cancel', { run_id });
    await ended(run_id);
    expect(await listed({ active_only: true })).toEqual([]);
  });
});
