/**
 * kill -9 of the engine while a notebook runs another one: each call starts exactly one run, and its result
 * arrives.
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { startEngineProcess, type EngineProcess } from '../harness/engine-process.ts';
import { eventually } from '../harness/eventually.ts';

let dataDirectory: string;
let engine: EngineProcess;

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'runyard-notebooks-'));
  await chmod(dataDirectory, 0o711);
});
afterAll(async () => {
  await engine?.terminate();
  await rm(dataDirectory, { recursive: true, force: true });
});

const gate = (name: string): string => join(dataDirectory, 'managed_fs', name);
const wait =
  'import os, time\nwhile not os.path.exists(os.environ["RUNYARD_MANAGED_FS"] + "/" + dbutils.widgets.get("gate")): time.sleep(0.02)';
const submit = async (notebook_path: string, base_parameters: object): Promise<number> =>
  (
    await engine.callOk('POST', '2.0/jobs/runs/submit', {
      existing_cluster_id: 'c',
      notebook_task: { notebook_path, base_parameters },
    })
  ).run_id;
const children = async (): Promise<ResponseBody[]> =>
  (await engine.callOk('GET', '2.1/jobs/runs/list', { run_type: 'WORKFLOW_RUN', limit: 0 })).runs ?? [];
const hasRequested = (runId: number): boolean => {
  const directory = join(dataDirectory, 'runs', String(runId), 'questions');
  return existsSync(directory) && readdirSync(directory).some((name) => name.endsWith('.json'));
};

test('kill -9 during, before and after a cancelled notebook call: each call has exactly one run', async () => {
  engine = await startEngineProcess(dataDirectory);
  mkdirSync(join(dataDirectory, 'managed_fs'), { recursive: true });
  await engine.putNotebook('/child', [wait, 'dbutils.notebook.exit("child " + dbutils.widgets.get("gate"))']);
  await engine.putNotebook('/parent', [
    wait,
    'dbutils.notebook.exit(dbutils.notebook.run("./child", 0, {"gate": dbutils.widgets.get("inner")}))',
  ]);
  writeFileSync(gate('open'), '');
  const underWay = await submit('/parent', { gate: 'open', inner: 'later' });
  const cancelled = await submit('/parent', { gate: 'open', inner: 'never' });
  const asksLater = await submit('/parent', { gate: 'ask', inner: 'later' });
  await engine.waitForRun(asksLater, (run) => run.state.life_cycle_state === 'RUNNING');
  await eventually(children, {
    until: (runs) => runs.filter((run) => run.state.life_cycle_state === 'RUNNING').length === 2,
  });
  await engine.callOk('POST', '2.1/jobs/runs/cancel', { run_id: cancelled });
  await engine.kill();
  writeFileSync(gate('ask'), '');
  await eventually(() => hasRequested(asksLater), { until: Boolean });
  engine = await startEngineProcess(dataDirectory);
  writeFileSync(gate('later'), '');
  for (const runId of [underWay, asksLater]) {
    expect((await engine.waitForRunEnd(runId)).state).toMatchObject({ result_state: 'SUCCESS' });
    expect(
      (await engine.callOk('GET', '2.0/jobs/runs/get-output', { run_id: runId })).notebook_output.result,
    ).toBe('child later');
  }
  expect((await engine.waitForRunEnd(cancelled)).state).toMatchObject({ result_state: 'CANCELED' });
  const ends = await Promise.all(
    (await children()).map(async ({ run_id }) => (await engine.waitForRunEnd(run_id)).state.result_state),
  );
  expect(ends.toSorted()).toEqual(['CANCELED', 'SUCCESS', 'SUCCESS']);
}, 120_000);
