/** Python programs: the processor time and the duration that the engine adds to the bare processes. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Benchmark, BenchmarkContext } from './benchmark.ts';
import { chainOf, runGraph } from './chain.ts';
import { resolvePython, runBareProcesses } from './floors.ts';
import { measureMs, runConcurrently, waitUntilIdle, type HttpClient } from './http-client.ts';
import { costPerRun, withEngine, type MeasuredEngine } from './with-engine.ts';

const runsPerRound = 100;
const connections = 16;
const nothing = 'import sys\n';
const fibonacci = `import sys
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(int(sys.argv[1])))
`;

/** Stores a program for the engine and as a file for the bare processes; returns the path of that file. */
async function storeProgram({ client, dataDirectory }: MeasuredEngine, name: string, text: string) {
  await client.call('POST', '2.0/managed_fs/put', {
    path: `/${name}.py`,
    contents: Buffer.from(text).toString('base64'),
  });
  const file = join(dataDirectory, `${name}.py`);
  await writeFile(file, text);
  return file;
}

const pythonTask = (name: string, parameters: readonly string[] = []): object => ({
  existing_cluster_id: 'bench',
  spark_python_task: { python_file: `managed_fs:/${name}.py`, parameters },
});

/** Returns the duration of the fastest pool of bare processes, whatever its size, in ms. */
async function runBestBarePool(argv: readonly [string, ...string[]], path: string, count: number) {
  const pools = [];
  for (const width of [2, 4, 8]) pools.push(await runBareProcesses(argv, path, count, width));
  return {
    durationMs: Math.min(...pools.map(({ durationMs }) => durationMs)),
    cpuMs: Math.min(...pools.map(({ cpuMs }) => cpuMs)),
  };
}

async function runThroughHttp(client: HttpClient, jobId: unknown): Promise<number> {
  return measureMs(async () => {
    await runConcurrently(runsPerRound, connections, () =>
      client.call('POST', '2.1/jobs/run-now', { job_id: jobId }),
    );
    await waitUntilIdle(client);
  });
}

export const pythonRuns: Benchmark = {
  name: 'python-runs',
  summary: `${runsPerRound} runs of an empty Python program through run-now, and ${runsPerRound} parallel tasks of one run`,
  run: (context) =>
    withEngine(context.path, connections, async (measured) => {
      const { client, engine } = measured;
      const argv = [
        await resolvePython(context.path),
        await storeProgram(measured, 'nothing', nothing),
      ] as const;
      const { job_id: jobId } = await client.call('POST', '2.1/jobs/create', {
        name: 'python',
        max_concurrent_runs: 1_000,
        tasks: [{ task_key: 'main', ...pythonTask('nothing') }],
      });
      await runThroughHttp(client, jobId);
      for (let round = 0; round < context.rounds; round += 1) {
        const bare = await runBestBarePool(argv, context.path, runsPerRound);
        context.record('bare pool', 'ms', bare.durationMs);
        const before = await engine.cpuSeconds();
        context.record('runs through HTTP', 'ms', await runThroughHttp(client, jobId));
        const cost = costPerRun(before, await engine.cpuSeconds(), runsPerRound);
        recordCost(context, cost, bare.cpuMs / runsPerRound);
        const tasks = Array.from({ length: runsPerRound }, (_, index) => ({
          task_key: `t${index}`,
          ...pythonTask('nothing'),
        }));
        context.record('parallel tasks of one run', 'ms', await runGraph(client, tasks));
      }
      context.aimAt('processor time above the bare process', 6);
      context.compare('runs through HTTP', 'bare pool', 1.3);
      context.compare('parallel tasks of one run', 'bare pool', 1.3);
    }),
};

function recordCost(context: BenchmarkContext, cost: ReturnType<typeof costPerRun>, bareMs: number): void {
  context.record('processor time of a bare process', 'ms', bareMs);
  context.record('processor time above the bare process', 'ms', cost.totalMs - bareMs);
  context.record('- of the engine', 'ms', cost.engineMs);
  context.record('- of PostgreSQL', 'ms', cost.postgresMs);
  context.record('- of the supervisor', 'ms', cost.tasksMs - bareMs);
}

/** A chain of processes against the sum of the same processes without the engine. */
function createFibonacciBenchmark(count: number, argument: number, bar: number): Benchmark {
  return {
    name: `fib-${count}x${argument}`,
    summary: `a chain of ${count} Python tasks, each fib(${argument})`,
    run: (context) =>
      withEngine(context.path, 2, async (measured) => {
        const file = await storeProgram(measured, 'fib', fibonacci);
        const argv = [await resolvePython(context.path), file, String(argument)] as const;
        const tasks = chainOf(count, () => pythonTask('fib', [String(argument)]));
        await runGraph(measured.client, tasks.slice(0, 3));
        for (let round = 0; round < context.rounds; round += 1) {
          context.record('chain', 'ms', await runGraph(measured.client, tasks));
          const { durationMs } = await runBareProcesses(argv, context.path, count, 1);
          context.record('bare processes', 'ms', durationMs);
        }
        context.compare('chain', 'bare processes', bar);
      }),
  };
}

export const shortFibonacci = createFibonacciBenchmark(40, 10, 1.2);
export const longFibonacci = createFibonacciBenchmark(10, 33, 1.03);
