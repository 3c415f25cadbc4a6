/** `node process-starts-probe.ts HEAP_MB spawner|direct`: starts processes as a runner thread does; prints JSON. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { exec } from '../../runners/process/exec.ts';
import { createSpawner, startDirectly } from '../../runners/process/spawner.ts';
import { measureMs, runConcurrently } from './http-client.ts';

const [heapMb = '0', starter] = process.argv.slice(2);
const starts = 50;
const many = 1_000;
const root = await mkdtemp(join(tmpdir(), 'runyard-bench-starts-'));
const start = starter === 'spawner' ? createSpawner().start : startDirectly;
const signal = new AbortController().signal;
let next = 0;

async function startOne(argv: readonly [string, ...string[]]): Promise<void> {
  const directory = join(root, String((next += 1)));
  const spec = {
    directory,
    attemptDirectory: directory,
    cwd: directory,
    argv,
    env: { PATH: '/usr/bin:/bin' },
  };
  await exec({ ...spec, stopGraceMs: 0, logBytesMax: 2 ** 20 }, signal, start);
}

// The first start comes early, as that of an engine.
await startOne(['true']);
const heap: number[][] = [];
while (heap.length * 8 < Number(heapMb)) heap.push(Array.from({ length: 2 ** 20 }, (_, index) => index));
const startMs: number[] = [];
for (let count = 0; count < starts; count += 1) startMs.push(await measureMs(() => startOne(['true'])));
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
const thousandMs =
  starter === 'spawner'
    ? await measureMs(() => runConcurrently(many, 200, () => startOne(['sleep', '1'])))
    : 0;
delay.disable();
await rm(root, { recursive: true, force: true });
const ms = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - 5);
const delayP99Ms = ms(delay.percentile(99));
const delayMaximumMs = ms(delay.max);
process.stdout.write(JSON.stringify({ startMs, delayP99Ms, delayMaximumMs, thousandMs, heap: heap.length }));
