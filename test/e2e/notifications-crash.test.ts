/**
 * kill -9 between a state change and its delivery, between a delivery and its record, and at random moments:
 * every notification arrives.
 */
import { chmodSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startEngineProcess, type EngineProcess } from '../harness/engine-process.ts';
import { startHttpReceiver, type HttpReceiver, type ReceivedCall } from '../harness/webhook-receiver.ts';
import { eventually } from '../harness/eventually.ts';

let dataDirectory: string;
let receiver: HttpReceiver;
let engine: EngineProcess;
const start = (): Promise<EngineProcess> =>
  startEngineProcess(dataDirectory, { RUNYARD_WEBHOOK_ALLOW_PRIVATE: 'true' });
beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'runyard-notification-crash-'));
  chmodSync(dataDirectory, 0o711);
  receiver = await startHttpReceiver();
  engine = await start();
  await engine.putFile('/ok.py', 'print("ok")\n');
});
afterEach(async () => {
  await engine.terminate();
  await receiver.close();
  await rm(dataDirectory, { recursive: true, force: true });
});

async function destination(path: string): Promise<string> {
  return (
    await engine.callOk('POST', '2.0/notification-destinations', {
      display_name: path,
      config: { generic_webhook: { url: `${receiver.url}${path}` } },
    })
  ).id;
}

const work = { existing_cluster_id: 'c', spark_python_task: { python_file: 'managed_fs:/ok.py' } };
const runOf = (call: ReceivedCall): number => JSON.parse(call.body).run.run_id;
const idOf = (call: ReceivedCall): string => String(call.headers['webhook-id']);
const events = (call: ReceivedCall): string => `${JSON.parse(call.body).event_type} ${runOf(call)}`;

test('kill -9 between state change and delivery: the next engine delivers the notification', async () => {
  const id = await destination('/hook');
  const { port } = new URL(receiver.url);
  await receiver.close();
  const { run_id } = await engine.callOk('POST', '2.0/jobs/runs/submit', {
    ...work,
    webhook_notifications: { on_start: [{ id }], on_success: [{ id }] },
  });
  await engine.waitForRunEnd(run_id);
  await engine.kill();
  receiver = await startHttpReceiver(Number(port));
  engine = await start();
  await receiver.waitForCalls((calls) => calls.length === 2);
  expect(receiver.calls.map(events)).toEqual([`jobs.on_start ${run_id}`, `jobs.on_success ${run_id}`]);
});

test('kill -9 between delivery and record: the notification is repeated with the same id, in order', async () => {
  const id = await destination('/hook');
  // The receiver takes the first call, and the engine is killed before it records that.
  receiver.queueResponses('/hook', 'stall');
  const { run_id } = await engine.callOk('POST', '2.0/jobs/runs/submit', {
    ...work,
    webhook_notifications: { on_start: [{ id }], on_success: [{ id }] },
  });
  await receiver.waitForCalls((calls) => calls.length === 1);
  await engine.kill();
  engine = await start();
  await engine.waitForRunEnd(run_id);
  await receiver.waitForCalls((calls) => calls.length === 3);
  expect(receiver.calls.map(events)).toEqual([
    `jobs.on_start ${run_id}`,
    `jobs.on_start ${run_id}`,
    `jobs.on_success ${run_id}`,
  ]);
  const [first, again, last] = receiver.calls.map(idOf);
  expect(again).toBe(first);
  expect(last).not.toBe(first);
  expect(receiver.calls[1]?.body).toBe(receiver.calls[0]?.body);
});

/** Number of runs, each with one notification, and of kills at random moments. */
const [runs, kills] = [500, 3];

test(`${runs} runs and ${kills} kills: no notification is lost, and duplicates have the id of the first`, async () => {
  const id = await destination('/hook');
  receiver.queueResponses('/hook', 500, 'cut', 429, 503);
  const settings = { ...work, webhook_notifications: { on_failure: [{ id }], on_success: [{ id }] } };
  // Most runs end at once, so that many notifications are pending at every kill; some run a task.
  const { job_id: skipped } = await engine.callOk('POST', '2.0/jobs/create', {
    ...settings,
    name: 'skipped',
    max_concurrent_runs: 0,
  });
  const { job_id: real } = await engine.callOk('POST', '2.0/jobs/create', {
    ...settings,
    name: 'real',
    max_concurrent_runs: 1_000,
  });
  const acknowledged: number[] = [];
  let next = 0;
  let running = engine;
  const worker = async (): Promise<void> => {
    while (next < runs) {
      const number = next++;
      for (;;) {
        const asked = running;
        try {
          // The idempotency token deduplicates repeated requests.
          const { run_id } = await asked.callOk('POST', '2.0/jobs/run-now', {
            job_id: number % 40 === 0 ? real : skipped,
            idempotency_token: `t${number}`,
          });
          acknowledged.push(run_id);
          break;
        } catch (error) {
          if (asked === running && !killing) throw error;
          await back;
        }
      }
    }
  };
  let killing = false;
  let back = Promise.resolve();
  const workers = Promise.all(Array.from({ length: 8 }, worker));
  for (let kill = 1; kill <= kills; kill += 1) {
    const at = (kill * runs) / (kills + 1) + Math.random() * 50;
    await eventually(() => acknowledged.length, { until: (count) => count >= at, every: 2 });
    const { promise, resolve } = Promise.withResolvers<void>();
    [killing, back] = [true, promise];
    await running.kill();
    running = await start();
    engine = running;
    killing = false;
    resolve();
  }
  await workers;
  expect(new Set(acknowledged).size).toBe(runs);
  await receiver.waitForCalls((calls) => new Set(calls.map(runOf)).size >= runs);
  expect(new Set(receiver.calls.map(runOf))).toEqual(new Set(acknowledged));
  const ids = Map.groupBy(receiver.calls, runOf);
  for (const [run, calls] of ids) expect(new Set(calls.map(idOf)).size, `run ${run}`).toBe(1);
}, 240_000);
