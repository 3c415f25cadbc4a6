/** Measures runs from run-now to their end, and a bare process of the same program for comparison. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createTemporaryDirectory, startEngineUnderTest } from './engine-under-test.ts';
import { summarizeMs } from './summarize.ts';

/** High resolution, in milliseconds. */
const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

async function measure(work: () => Promise<unknown>): Promise<number> {
  const before = nowMs();
  await work();
  return nowMs() - before;
}

async function measureRepeatedly(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const all: number[] = [];
  for (let one = 0; one < count; one += 1) all.push(await measure(work));
  return all;
}

const path = process.argv[2] ?? '/usr/local/bin:/usr/bin:/bin';
const directory = await createTemporaryDirectory();
const engine = await startEngineUnderTest(directory.path, path);
await engine.call('POST', '2.0/managed_fs/put', { path: '/nothing.py', contents: '' });
const python = { existing_cluster_id: 'bench', spark_python_task: { python_file: 'managed_fs:/nothing.py' } };
const { job_id } = await engine.call('POST', '2.0/jobs/create', {
  ...python,
  name: 'bench',
  max_concurrent_runs: 1000,
});

const waitForEnd = async (runId: unknown): Promise<Record<string, unknown>> => {
  for (;;) {
    const run = await engine.call('GET', `2.0/jobs/runs/get?run_id=${String(runId)}`);
    if (run['end_time'] !== 0) return run;
  }
};
const runDurations: number[] = [];
const parts = {
  setup_duration: [] as number[],
  execution_duration: [] as number[],
  cleanup_duration: [] as number[],
};
const measureRun = async (): Promise<void> => {
  const { run_id } = await engine.call('POST', '2.0/jobs/run-now', { job_id });
  const run = await waitForEnd(run_id);
  runDurations.push(Number(run['end_time']) - Number(run['start_time']));
  for (const [part, values] of Object.entries(parts)) values.push(Number(run[part]));
};
await measureRepeatedly(5, measureRun);
runDurations.length = 0;
for (const values of Object.values(parts)) values.length = 0;
await measureRepeatedly(30, measureRun);
const accepted: unknown[] = [];
const accept = await measureRepeatedly(100, async () => {
  accepted.push((await engine.call('POST', '2.0/jobs/run-now', { job_id }))['run_id']);
});
for (const runId of accepted) await waitForEnd(runId);

const manyTasksJob = {
  tasks: Array.from({ length: 100 }, (_, index) => ({ task_key: `t${index}`, ...python })),
};
const parallel = await measureRepeatedly(3, async () => {
  await waitForEnd((await engine.call('POST', '2.1/jobs/runs/submit', manyTasksJob))['run_id']);
});
const bare = await measureRepeatedly(30, async () => {
  await once(spawn('python3', ['-c', ''], { stdio: 'ignore', env: { PATH: path } }), 'exit');
});
const hundredProcesses = await measureRepeatedly(3, async () => {
  await Promise.all(
    Array.from({ length: 100 }, () =>
      once(spawn('python3', ['-c', ''], { stdio: 'ignore', env: { PATH: path } }), 'exit'),
    ),
  );
});
process.stdout.write(
  [
    `run-now accepted (durable):           ${summarizeMs(accept)}`,
    `a run from accepted to ended:         ${summarizeMs(runDurations)}`,
    ...Object.entries(parts).map(([part, values]) => `  ${part.padEnd(36)}${summarizeMs(values)}`),
    `floor: the same program, bare:        ${summarizeMs(bare)}`,
    `100 parallel tasks, submit to end:    ${summarizeMs(parallel)}`,
    `floor: 100 bare processes at once:    ${summarizeMs(hundredProcesses)}`,
    '',
  ].join('\n'),
);
await engine.stop();
await directory.remove();
