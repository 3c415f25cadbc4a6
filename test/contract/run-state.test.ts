/** States of runs by outcome, and every transition as stored in the database (spec 2.6, 3.1, 3.2). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lifeCycleStates, resultStates } from '../../engine/run/states.ts';
import type { ResponseBody } from '../harness/api-client.ts';
import { eventually } from '../harness/eventually.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { distinctTransitions, recordTransitions, statesOf } from './recorded-transitions.ts';

let runyard: TestService;
/** Terminated run of each outcome, as runs/get returns it in 2.0. */
let runsByOutcome: Readonly<Record<Outcome, ResponseBody>>;
/** All runs and task runs that runs/get returned while the tests waited. */
const seen: ResponseBody[] = [];

type Outcome = 'succeeded' | 'failed' | 'cancelled' | 'timedOut' | 'skipped' | 'lost' | 'multi';

const compute = { existing_cluster_id: 'c' };
const python = (file: string) => ({ ...compute, spark_python_task: { python_file: `managed_fs:/${file}` } });
const get = (run_id: number): Promise<ResponseBody> => runyard.callOk('GET', '2.0/jobs/runs/get', { run_id });

/** Waits for a state and records every response in `seen`. */
async function when(run_id: number, holds: (state: string) => boolean): Promise<ResponseBody> {
  const observe = async (): Promise<ResponseBody> => {
    const run = await get(run_id);
    seen.push(run, ...(run.tasks ?? []));
    return run;
  };
  return eventually(observe, { every: 10, until: ({ state }) => holds(state.life_cycle_state) });
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

/** Kills the process of the task together with its supervisor, which loses the exit status. */
async function lost(): Promise<ResponseBody> {
  const run_id = await submit(python('wait.py'));
  await running(run_id);
  const pidFile = join(runyard.dataDirectory, 'runs', String(run_id), 'pid');
  const text = await eventually(() => readFile(pidFile, 'utf8'), { until: (read) => read.endsWith('\n') });
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
  await recordTransitions(runyard);
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
  runsByOutcome = {
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

describe('spec 2.6: RunState', () => {
  test.each<[Outcome, string, string | undefined]>([
    ['succeeded', 'TERMINATED', 'SUCCESS'],
    ['failed', 'TERMINATED', 'FAILED'],
    ['cancelled', 'TERMINATED', 'CANCELED'],
    ['timedOut', 'TERMINATED', 'TIMEDOUT'],
    ['skipped', 'SKIPPED', undefined],
    ['lost', 'INTERNAL_ERROR', 'FAILED'],
    ['multi', 'TERMINATED', 'FAILED'],
  ])(
    'spec 2.6 life_cycle_state and result_state of the run %s are %s and %s',
    (outcome, life_cycle_state, result_state) => {
      expect(runsByOutcome[outcome].state.life_cycle_state).toBe(life_cycle_state);
      expect(runsByOutcome[outcome].state.result_state).toBe(result_state);
      expect(Object.hasOwn(runsByOutcome[outcome].state, 'result_state')).toBe(result_state !== undefined);
    },
  );

  test('spec 2.6 user_cancelled_or_timedout is true only for cancelled and timed-out runs', () => {
    const flags = Object.entries(runsByOutcome).map(([outcome, { state }]) => [
      outcome,
      state.user_cancelled_or_timedout,
    ]);
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

  test('spec 2.6 state_message is always a string', () => {
    expect(seen.every(({ state }) => typeof state.state_message === 'string')).toBe(true);
    const messages = Object.fromEntries(
      Object.entries(runsByOutcome).map(([outcome, { state }]) => [outcome, state.state_message]),
    );
    expect(messages).toEqual({
      succeeded: '',
      failed: expect.stringMatching(/^Workload failed, see run output for details: /),
      cancelled: expect.stringMatching(/^Run cancelled by user /),
      timedOut: expect.stringMatching(/^Run timed out: /),
      skipped: expect.stringMatching(
        /^Skipping this run because the limit of 0 maximum concurrent runs has been reached\. /,
      ),
      lost: expect.stringMatching(/^The task's process \d+ on node \S+ disappeared/),
      multi: expect.stringMatching(
        /^Task bad failed with message: Workload failed, see run output for details: /,
      ),
    });
  });
});

describe('spec 3.1: state transitions', () => {
  const whole = ['PENDING', 'RUNNING', 'TERMINATING', 'TERMINATED'];

  test.each<[string, Outcome, string[]]>([
    ['resources prepared, task finished, cleanup done', 'succeeded', whole],
    ['task finished with a failure', 'failed', whole],
    ['cancelled while running', 'cancelled', whole],
    ['timed out while running', 'timedOut', whole],
    ['failure in the service while running', 'lost', ['PENDING', 'RUNNING', 'INTERNAL_ERROR']],
    ['several tasks', 'multi', whole],
  ])('spec 3.1: %s', async (_condition, outcome, states) => {
    expect(await statesOf(runyard, runsByOutcome[outcome], 'runs')).toEqual(states);
    if (outcome !== 'multi')
      expect(await statesOf(runyard, runsByOutcome[outcome], 'task_runs')).toEqual(states);
  });

  test('spec 3.1: a task of a multi-task run has the same transitions, and a task with a failed dependency is SKIPPED', async () => {
    expect(await statesOf(runyard, taskOf(runsByOutcome.multi, 'good'), 'task_runs')).toEqual(whole);
    expect(await statesOf(runyard, taskOf(runsByOutcome.multi, 'bad'), 'task_runs')).toEqual(whole);
    expect(await statesOf(runyard, taskOf(runsByOutcome.multi, 'next'), 'task_runs')).toEqual([
      'PENDING',
      'SKIPPED',
    ]);
  });

  test('spec 3.1: a run above max_concurrent_runs is SKIPPED immediately and uses no resources', async () => {
    expect(await statesOf(runyard, runsByOutcome.skipped, 'runs')).toEqual([]);
    expect(runsByOutcome.skipped.end_time).toBe(runsByOutcome.skipped.start_time);
    expect(
      await runyard.database.db
        .selectFrom('clusters')
        .selectAll()
        .where('job_run_id', '=', runsByOutcome.skipped.run_id)
        .execute(),
    ).toEqual([]);
  });

  test('spec 3.1: every stored transition is in the table of transitions', async () => {
    const table = [
      'PENDING RUNNING',
      'PENDING SKIPPED',
      'PENDING INTERNAL_ERROR',
      'RUNNING TERMINATING',
      'RUNNING INTERNAL_ERROR',
      'TERMINATING TERMINATED',
      'TERMINATING INTERNAL_ERROR',
    ];
    expect(table).toEqual(expect.arrayContaining(await distinctTransitions(runyard)));
  });

  test('spec 3.1: responses contain only known states, and cancel of a terminated run changes nothing', async () => {
    for (const { state } of seen) expect(lifeCycleStates).toContain(state.life_cycle_state);
    for (const run of Object.values(runsByOutcome)) {
      expect(await runyard.callOk('POST', '2.0/jobs/runs/cancel', { run_id: run.run_id })).toEqual({});
      expect(await get(run.run_id)).toEqual(run);
    }
  });
});

describe('spec 3.2: result_state', () => {
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
  ] as const)('spec 3.2: presence of result_state in the state %s is %s', (state, there) => {
    expect(shown(state)).toEqual([there]);
  });

  test('spec 3.2: INTERNAL_ERROR has a result_state when the task was started', () => {
    expect(runsByOutcome.lost.state.result_state).toBe('FAILED');
  });

  test('spec 3.2: TERMINATING has the final result_state, enforced by a constraint of the table runs', async () => {
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
    const bare = sql`update runs set result = null, state = 'TERMINATING', active = true, end_time = null where run_id = ${runsByOutcome.succeeded.run_id}`;
    await expect(bare.execute(runyard.database.db)).rejects.toThrow(/violates check constraint/);
  });

  test('spec 3.2: responses contain only known results', () => {
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
      Object.values(runsByOutcome)
        .map((run) => run.run_id)
        .toSorted(),
    );
    await runyard.callOk('POST', '2.0/jobs/runs/cancel', { run_id });
    await ended(run_id);
    expect(await listed({ active_only: true })).toEqual([]);
  });
});
