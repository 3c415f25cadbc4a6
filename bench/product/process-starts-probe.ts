/**
 * `node process-starts-probe.ts HEAP_MB spawner|direct`: a thread starts processes as the runner threads do, while
 * the main thread has a heap and measures the delay of its event loop; prints JSON.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread, MessageChannel, Worker, workerData, type MessagePort } from 'node:worker_threads';
import { exec } from '../../runners/process/exec.ts';
import { createSpawner, startDirectly } from '../../runners/process/spawner.ts';
import { measureMs, runConcurrently } from './http-client.ts';

const starts = 50;
const many = 1_000;
const resolutionMs = 5;

interface ProbeData {
  readonly root: string;
  readonly starter: string;
  readonly port: MessagePort;
}

/** Starts the processes that the main thread asks for; answers with durations in ms. */
function serveStarts({ root, starter, port }: ProbeData): void {
  const start = starter === 'spawner' ? createSpawner().start : startDirectly;
  const signal = new AbortController().signal;
  let next = 0;
  const startOne = async (argv: readonly [string, ...string[]]): Promise<void> => {
    const directory = join(root, String((next += 1)));
    const spec = {
      directory,
      attemptDirectory: directory,
      cwd: directory,
      argv,
      env: { PATH: '/usr/bin:/bin' },
    };
    await exec({ ...spec, stopGraceMs: 0, logBytesMax: 2 ** 20 }, signal, start);
  };
  port.on('message', async ({ count, width, argv }) => {
    const durations = await runConcurrently(count, width, () => measureMs(() => startOne(argv)));
    port.postMessage(durations);
  });
}

async function measure(heapMb: number, starter: string): Promise<object> {
  const root = await mkdtemp(join(tmpdir(), 'runyard-bench-starts-'));
  const { port1, port2 } = new MessageChannel();
  const data: ProbeData = { root, starter, port: port2 };
  const worker = new Worker(new URL(import.meta.url), { workerData: data, transferList: [port2] });
  const ask = async (count: number, width: number, argv: readonly string[]): Promise<number[]> => {
    port1.postMessage({ count, width, argv });
    const [durations] = await once(port1, 'message');
    return durations;
  };
  // The first start comes early, as that of an engine.
  await ask(1, 1, ['true']);
  const heap: number[][] = [];
  while (heap.length * 8 < heapMb) heap.push(Array.from({ length: 2 ** 20 }, (_, index) => index));
  const startMs = await ask(starts, 1, ['true']);
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  const thousandMs = starter === 'spawner' ? await measureMs(() => ask(many, many, ['sleep', '2'])) : 0;
  delay.disable();
  await worker.terminate();
  port1.close();
  await rm(root, { recursive: true, force: true });
  const [delayP99Ms = 0, delayMaximumMs = 0] = [delay.percentile(99), delay.max].map((nanoseconds) =>
    Math.max(0, nanoseconds / 1e6 - resolutionMs),
  );
  return { startMs, delayP99Ms, delayMaximumMs, thousandMs, heapArrays: heap.length };
}

if (isMainThread) {
  const [heapMb = '0', starter = 'spawner'] = process.argv.slice(2);
  process.stdout.write(JSON.stringify(await measure(Number(heapMb), starter)));
} else serveStarts(workerData);
