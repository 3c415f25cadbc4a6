/** A chain of 100 no-op tasks: the overhead of the engine between two tasks. */
import type { Benchmark } from './benchmark.ts';
import { openCommitFloor } from './floors.ts';
import { waitUntilIdle, type HttpClient } from './http-client.ts';
import { costPerRun, withEngine } from './with-engine.ts';

const length = 100;
/** Durable state changes that a task needs at least: requested, begun, finished, cleaned up. */
const commitsPerTask = 4;
const runsPerRound = 3;

/** Runs a job of several tasks once and returns its duration in ms. */
export async function runGraph(client: HttpClient, tasks: readonly object[]): Promise<number> {
  const { run_id: runId } = await client.call('POST', '2.1/jobs/runs/submit', { run_name: 'graph', tasks });
  // The list of active runs is cheap; the document of a run with 100 tasks is not.
  await waitUntilIdle(client, 100);
  const run = await client.call('GET', `2.1/jobs/runs/get?run_id=${String(runId)}`);
  const { result_state: result, state_message: message } = Object(run['state']);
  if (result !== 'SUCCESS') throw new Error(`The run ended as ${result}: ${message}`);
  return Number(run['end_time']) - Number(run['start_time']);
}

/** Returns tasks that run one after the other. */
export function chainOf(count: number, body: (index: number) => object): object[] {
  return Array.from({ length: count }, (_, index) => ({
    task_key: `t${index}`,
    depends_on: index === 0 ? [] : [{ task_key: `t${index - 1}` }],
    ...body(index),
  }));
}

export const chain: Benchmark = {
  name: 'chain',
  summary: `a run of ${length} no-op tasks, one after the other`,
  run: (context) =>
    withEngine(context.path, 2, async ({ client, engine, dataDirectory }) => {
      const tasks = chainOf(length, () => ({ no_op_task: {} }));
      await runGraph(client, tasks);
      const floor = await openCommitFloor(dataDirectory);
      for (let round = 0; round < context.rounds * runsPerRound; round += 1) {
        const before = await engine.cpuSeconds();
        context.record('duration per task', 'ms', (await runGraph(client, tasks)) / length);
        const cost = costPerRun(before, await engine.cpuSeconds(), length);
        context.record('processor time per task', 'ms', cost.totalMs);
        for (let sample = 0; sample < 25; sample += 1) {
          let sum = 0;
          for (let commit = 0; commit < commitsPerTask; commit += 1) sum += await floor.measure();
          context.record('four lone commits', 'ms', sum);
        }
      }
      await floor.close();
      context.compare('duration per task', 'four lone commits', 2);
    }),
};
