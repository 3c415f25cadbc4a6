/** Graphs of no-op tasks: many tasks of one run at the same time, and many chains at the same time. */
import type { Benchmark } from './benchmark.ts';
import { chainOf, runGraph } from './chain.ts';
import { measureMs, runConcurrently, waitUntilIdle } from './http-client.ts';
import { costPerRun, withEngine } from './with-engine.ts';

const tasksPerRun = 100;
const chains = 100;

export const graphs: Benchmark = {
  name: 'graphs',
  summary: `a run of ${tasksPerRun} parallel no-op tasks; ${chains} chains of ${tasksPerRun} at the same time`,
  run: (context) =>
    withEngine(context.path, 16, async ({ client, engine }) => {
      const body = { no_op_task: {} };
      const parallel = Array.from({ length: tasksPerRun }, (_, index) => ({
        task_key: `t${index}`,
        ...body,
      }));
      const chain = chainOf(tasksPerRun, () => body);
      await runGraph(client, parallel);
      for (let round = 0; round < context.rounds; round += 1) {
        const before = await engine.cpuSeconds();
        context.record('100 parallel tasks', 'ms', await runGraph(client, parallel));
        const between = await engine.cpuSeconds();
        context.record('- processor time per task', 'ms', costPerRun(before, between, tasksPerRun).totalMs);
        const tasks = chains * tasksPerRun;
        const durationMs = await measureMs(async () => {
          await runConcurrently(chains, 16, () =>
            client.call('POST', '2.1/jobs/runs/submit', { run_name: 'chain', tasks: chain }),
          );
          await waitUntilIdle(client, 100);
        });
        context.record('100 chains of 100: tasks', 'runs/s', (tasks * 1_000) / durationMs);
        const cost = costPerRun(between, await engine.cpuSeconds(), tasks);
        context.record('100 chains of 100: processor time per task', 'ms', cost.totalMs);
      }
    }),
};
