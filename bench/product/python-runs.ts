/** Python programs: the processor time and the duration that the engine adds to the bare processes. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Benchmark, BenchmarkContext } from './benchmark.ts';
import { chainOf, runGraph } from './chain.ts';
import { resolvePython, runBareProcesses } from './floors.ts';
import { measureMs, runConcurrently, waitUntilIdle, type HttpClient } from './http-client.ts';
import { costPerRun, withEngine, type MeasuredEngine } from './with-engine.ts';

const runsPerRound = 300;
const parallelTasks = 100;
const connections = 16;
const nothing = 'import sys\n';
const fibonacci = `import sys
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(int(sys.argv[1])))
`;

/** Stores a program for the engine and as a file for the bare processes; returns the path of that file. */
export async function storeProgram({ client, dataDirectory }: MeasuredEngine, name: string, text: string) {
  await client.call('POST', '2.0/managed_fs/put', {
    path: `/${name}.py`,
    contents: Buffer.from(text).toString('base64'),
  });
  const file = join(dataDirectory, `${name}.py`);
  await writeFile(file, text);
  return file;
}

export const pythonTask = (
  name: string,
  parameters: readonly string[] = [],
  clusterId = 'bench',
): object => ({
  existing_cluster_id: clusterId,
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
  summary: `${runsPerRound} runs of an empty Python program through run-now, and ${parallelTasks} parallel tasks of one run`,
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
        const fewer = await runBestBarePool(argv, context.path, parallelTasks);
        context.record('bare pool of the parallel tasks', 'ms', fewer.durationMs);
        const before = await engine.cpuSeconds();
        context.record('runs through HTTP', 'ms', await runThroughHttp(client, jobId));
        const cost = costPerRun(before, await engine.cpuSeconds(), runsPerRound);
        recordCost(context, cost, bare.cpuMs / runsPerRound);
        const tasks = Array.from({ length: parallelTasks }, (_, index) => ({
          task_key: `t${index}`,
          ...pythonTask('nothing'),
        }));
        context.record('parallel tasks of one run', 'ms', await runGraph(client, tasks));
      }
      context.aimAt('processor time above the bare process', 6);
      context.compare('runs through HTTP', 'bare pool', 1.3);
      context.compare('parallel tasks of one run', 'bare pool of the parallel tasks', 1.3);
    }),
};

function recordCost(context: BenchmarkContext, cost: ReturnType<typeof costPerRun>, bareMs: number): void {
  context.record('processor time of a bare process', 'ms', bareMs);
  context.record('processor time above the bare process', 'ms', cost.totalMs - bareMs);
  context.record('- of the engine', 'ms', cost.engineMs);
  context.record('- of PostgreSQL', 'ms', cost.postgresMs);
  context.record('- of the supervisor', 'ms', cost.tasksMs - bareMs);
}

/** Creates a cluster whose tasks start warm, and returns its id. */
export async function createWarmCluster(client: HttpClient): Promise<string> {
  const { cluster_id: id } = await client.call('POST', '2.0/clusters/create', {
    cluster_name: 'warm',
    spark_version: '16.4.x-scala2.12',
    node_type_id: 'standard-4',
    num_workers: 0,
    runtime: 'warm',
  });
  return String(id);
}

/** A chain of processes against the sum of the same processes without the engine. */
function createFibonacciBenchmark(
  count: number,
  argument: number,
  bars: { readonly cold: number; readonly warm?: number },
): Benchmark {
  return {
    name: `fib-${count}x${argument}`,
    summary: `a chain of ${count} Python tasks, each fib(${argument})`,
    run: (context) =>
      withEngine(context.path, 2, async (measured) => {
        const { client } = measured;
        const file = await storeProgram(measured, 'fib', fibonacci);
        const argv = [await resolvePython(context.path), file, String(argument)] as const;
        const chain = (clusterId?: string) =>
          chainOf(count, () => pythonTask('fib', [String(argument)], clusterId));
        const warm = chain(await createWarmCluster(client));
        await runGraph(client, chain().slice(0, 3));
        await runGraph(client, warm.slice(0, 3));
        for (let round = 0; round < context.rounds; round += 1) {
          context.record('chain', 'ms', await runGraph(client, chain()));
          const { durationMs } = await runBareProcesses(argv, context.path, count, 1);
          context.record('bare processes', 'ms', durationMs);
          context.record('warm chain', 'ms', await runGraph(client, warm));
        }
        context.compare('chain', 'bare processes', bars.cold);
        context.compare('warm chain', 'bare processes', bars.warm);
      }),
  };
}

export const shortFibonacci = createFibonacciBenchmark(40, 10, { cold: 1.2, warm: 0.4 });
export const longFibonacci = createFibonacciBenchmark(10, 33, { cold: 1.03 });
