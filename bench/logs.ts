/**
 * Measures one gigabyte of stdout: a bare process, a task whose log is kept, a task whose log is truncated,
 * and the same with a follower. Fails when the engine grows by 20 MB or more. `node bench/logs.ts [rounds]`
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTemporaryDirectory, startEngineUnderTest, type EngineUnderTest } from './engine-under-test.ts';

const path = '/usr/local/bin:/usr/bin:/bin';
const rounds = Number(process.argv[2] ?? 3);
const bytesPerMiB = 2 ** 20;
const maximumGrowthMb = 20;
/** Writes one GiB in lines of 100 bytes and prints its duration. */
const program = `import sys, time
block = (b"x" * 99 + b"\\n") * 640
began = time.monotonic()
for _ in range(2 ** 30 // len(block)): sys.stdout.buffer.write(block)
sys.stdout.buffer.flush()
sys.stderr.write("%.3f" % (time.monotonic() - began))
`;

const scratchDirectory = await createTemporaryDirectory();
const script = join(scratchDirectory.path, 'write.py');
await writeFile(script, program);
const largeLogEngine = await startWarmEngine({ RUNYARD_LOG_BYTES_MAX: String(2 ** 31) });
const smallLogEngine = await startWarmEngine({ RUNYARD_LOG_BYTES_MAX: String(64 * bytesPerMiB) });
try {
  for (let round = 1; round <= rounds; round += 1) {
    process.stdout.write(`round ${round}\n`);
    report('a bare process', await measureBareProcess());
    report('a task, log kept', await measureTask(largeLogEngine, false));
    report('a task, log of 64 MB kept', await measureTask(smallLogEngine, false));
    report('the same with a follower', await measureTask(smallLogEngine, true));
  }
} finally {
  for (const { engine, directory } of [largeLogEngine, smallLogEngine]) {
    await engine.stop();
    await directory.remove();
  }
  await scratchDirectory.remove();
}

interface Cost {
  readonly seconds: number;
  readonly growthMb?: number;
  readonly onDiskMb?: number;
}

interface WarmEngine {
  readonly engine: EngineUnderTest;
  readonly directory: Awaited<ReturnType<typeof createTemporaryDirectory>>;
}

async function startWarmEngine(variables: Readonly<Record<string, string>>): Promise<WarmEngine> {
  const directory = await createTemporaryDirectory();
  const engine = await startEngineUnderTest(directory.path, path, variables);
  await engine.call('POST', '2.0/managed_fs/put', {
    path: '/write.py',
    contents: Buffer.from(program).toString('base64'),
  });
  await engine.call('POST', '2.0/managed_fs/put', {
    path: '/ok.py',
    contents: Buffer.from('print("ok")\n').toString('base64'),
  });
  // Warms up, because the first tasks load modules.
  for (let warm = 0; warm < 5; warm += 1) await runToEnd(engine, 'ok');
  return { engine, directory };
}

function report(label: string, { seconds, growthMb, onDiskMb }: Cost): void {
  const rest =
    growthMb === undefined
      ? ''
      : `; engine +${growthMb.toFixed(1)} MB; ${onDiskMb?.toFixed(0)} MB on the disk`;
  process.stdout.write(`  ${label.padEnd(26)} ${seconds.toFixed(2)} s to write 1 GB${rest}\n`);
  if ((growthMb ?? 0) >= maximumGrowthMb) process.exitCode = 1;
}

async function measureBareProcess(): Promise<Cost> {
  const out = join(scratchDirectory.path, 'out');
  const fd = openSync(out, 'a');
  const child = spawn('python3', [script], { stdio: ['ignore', fd, 'pipe'], env: { PATH: path } });
  closeSync(fd);
  let duration = '';
  child.stderr?.on('data', (text) => {
    duration += String(text);
  });
  await once(child, 'close');
  await rm(out);
  return { seconds: Number(duration) };
}

async function measureTask({ engine, directory }: WarmEngine, followed: boolean): Promise<Cost> {
  const before = await engine.residentMegabytes();
  let maximum = before;
  const sample = async (): Promise<void> => {
    maximum = Math.max(maximum, await engine.residentMegabytes());
  };
  const watching = setInterval(() => {
    void sample();
  }, 50);
  const runId = await runToEnd(engine, 'write', followed);
  clearInterval(watching);
  const { content } = await engine.call('GET', `2.0/jobs/runs/logs?run_id=${runId}&stream=stderr`);
  const { blocks } = await stat(join(directory.path, 'runs', String(runId), 'stdout'));
  await engine.call('POST', '2.0/jobs/runs/delete', { run_id: runId });
  return { seconds: Number(content), growthMb: maximum - before, onDiskMb: (blocks * 512) / bytesPerMiB };
}

/** Runs a program to its end and returns the id of its run. */
async function runToEnd(engine: EngineUnderTest, name: string, followed = false): Promise<number> {
  const { run_id: runId } = await engine.call('POST', '2.0/jobs/runs/submit', {
    existing_cluster_id: 'c',
    spark_python_task: { python_file: `managed_fs:/${name}.py` },
  });
  const following = followed ? followLog(engine, Number(runId)) : undefined;
  for (;;) {
    const { state } = await engine.call('GET', `2.0/jobs/runs/get?run_id=${String(runId)}`);
    if (JSON.stringify(state).includes('TERMINATED')) break;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  await following;
  return Number(runId);
}

/** Follows a log as fast as possible. */
async function followLog({ url }: EngineUnderTest, runId: number): Promise<void> {
  const { body } = await fetch(`${url}/api/2.0/jobs/runs/logs/stream?run_id=${runId}`, {
    headers: { authorization: 'Bearer token-of-a-bench' },
  });
  const reader = body?.getReader();
  while ((await reader?.read())?.done === false);
}
