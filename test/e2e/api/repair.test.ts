/** Accepted repairs of runs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Check } from 'typebox/value';
import { createCoreOperations } from '../../../api/http/operations.ts';
import { defaultLimits } from '../../../engine/limits.ts';
import { idFrom, startApiHarness, type ApiResponse, type ApiHarness } from '../../unit/api/api-harness.ts';

const work = { existing_cluster_id: 'c', spark_python_task: { python_file: 'managed_fs:/x.py' } };

const tasks = [
  { task_key: 'b', ...work, depends_on: [{ task_key: 'a' }] },
  { task_key: 'a', ...work },
];

let service: ApiHarness;

/** Service that allows five active task runs in the workspace. */
let small: ApiHarness;

beforeAll(async () => {
  service = await startApiHarness();
  small = await startApiHarness({}, { ...defaultLimits, concurrentTaskRuns: 5 });
});

afterAll(() => Promise.all([service.close(), small.close()]));

async function submitted(on: ApiHarness = service, body: object = { tasks }): Promise<number> {
  return idFrom(await on.post('2.0/jobs/runs/submit', body), 'run_id');
}

async function failed(on: ApiHarness = service, body?: object): Promise<number> {
  const runId = await submitted(on, body);
  await on.endRun(runId, { result: 'FAILED' });
  return runId;
}

const repair = (body: object, on: ApiHarness = service): Promise<ApiResponse> =>
  on.post('2.1/jobs/runs/repair', body);

async function repairIdOf(answer: ApiResponse): Promise<number> {
  expect(answer).toEqual({
    status: 200,
    headers: expect.anything(),
    body: { repair_id: expect.any(Number) },
  });
  return Number(answer.body['repair_id']);
}

describe('a repair', () => {
  test('reruns each task once in graph order, after its rerun dependencies', async () => {
    const runId = await failed();
    await repairIdOf(await repair({ run_id: runId, rerun_tasks: ['b', 'a', 'b'] }));
    const { body } = await service.get('2.1/jobs/runs/get', { run_id: String(runId) });
    expect(body).toMatchObject({
      state: { life_cycle_state: 'PENDING', state_message: '' },
      end_time: 0,
      tasks: [
        { task_key: 'b', attempt_number: 0 },
        {
          task_key: 'b',
          attempt_number: 0,
          state: { life_cycle_state: 'PENDING', state_message: 'Waiting for the task a' },
        },
        { task_key: 'a', attempt_number: 0 },
        { task_key: 'a', attempt_number: 0, state: { life_cycle_state: 'PENDING', state_message: '' } },
      ],
    });
  });

  test('does not make a task wait for dependencies that are not rerun', async () => {
    const runId = await failed();
    await repairIdOf(
      await repair({
        run_id: String(runId),
        rerun_tasks: ['b'],
        rerun_all_failed_tasks: 'False',
        latest_repair_id: 0,
      }),
    );
    const { body } = await service.get('2.1/jobs/runs/get', { run_id: String(runId) });
    expect(body).toMatchObject({
      tasks: [{ attempt_number: 0 }, { attempt_number: 0, state: { state_message: '' } }, { task_key: 'a' }],
    });
  });

  test('adds its durations to the run, without the time between', async () => {
    const runId = await failed();
    service.advanceClock(3_600_000);
    const first = await repairIdOf(await repair({ run_id: runId, rerun_all_failed_tasks: true }));
    service.advanceClock(5_000);
    await service.database.db
      .updateTable('runs')
      .set({ state: 'TERMINATED', active: false, result: 'SUCCESS', end_time: service.ports.clock.now() })
      .where('run_id', '=', runId)
      .execute();
    const { body } = await service.get('2.1/jobs/runs/get', {
      run_id: String(runId),
      include_history: 'true',
    });
    expect(body).toMatchObject({
      run_duration: 6_000 + 5_000,
      repair_history: [
        { type: 'ORIGINAL', end_time: service.ports.clock.now() - 3_599_000 },
        { type: 'REPAIR', id: first, start_time: service.ports.clock.now() - 5_000 },
      ],
    });
  });

  test('is deleted with its run', async () => {
    const runId = await failed();
    await repairIdOf(await repair({ run_id: runId, rerun_tasks: ['a'] }));
    expect((await service.post('2.1/jobs/runs/delete', { run_id: runId })).body['error_code']).toBe(
      'INVALID_STATE',
    );
    await service.endRun(runId, { result: 'FAILED' });
    expect((await service.post('2.1/jobs/runs/delete', { run_id: runId })).status).toBe(200);
    expect(
      await service.database.db.selectFrom('repairs').selectAll().where('run_id', '=', runId).execute(),
    ).toEqual([]);
  });

  test.each(['2.0', '2.1', '2.2'])(
    'appears in runs/get with its history as documented in %s',
    async (version) => {
      const documented = new Map(
        createCoreOperations(service.ports).map((operation) => [operation.path, operation.response]),
      ).get('/jobs/runs/get');
      const runId = await failed();
      await repair({ run_id: runId, rerun_tasks: ['a'] });
      for (const id of [runId, await failed(service, work), await submitted()]) {
        const { status, body } = await service.get(`${version}/jobs/runs/get`, {
          run_id: String(id),
          include_history: 'true',
        });
        expect(status).toBe(200);
        expect(body['repair_history']).toHaveLength(id === runId ? 2 : 1);
        expect(Check(documented ?? {}, body)).toBe(true);
      }
    },
  );
});
