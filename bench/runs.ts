/**
 * From run-now to the end of a run, against the floors: one durable INSERT, and a bare process of the same
 * program.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freshDirectory, startUnderTest } from './engine-under-test.ts';
import { spread } from './spread.ts';

/** High resolution, in milliseconds. */
const clock = (): number => Number(process.hrtime.bigint()) / 1e6;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = clock();
  await work();
  return clock() - before;
}

async function times(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const all: number[] = [];
  for (let one = 0; one < count; one += 1) all.push(await timed(work));
  return all;
}

const path = process.argv[2] ?? '/usr/local/bin:/usr/bin:/bin';
const directory = await freshDirectory();
const engine = await startUnderTest(directory.path, path);
await engine.call('POST', '2.0/managed_fs/put', { path: '/nothing.py', contents: '' });
const python = { existing_cluster_id: 'bench', spark_python_task: { python_file: 'managed_fs:/nothing.py' } };
const { job_id } = await engine.call('POST', '2.0/jobs/create', {
  ...python,
  name: 'bench',
  max_concurrent_runs: 1000,
});

const over = async (runId: unknown): Promise<Record<string, unknown>> => {
  for (;;) {
    const run = await engine.call('GET', `2.0/jobs/runs/get?run_id=${String(runId)}`);
    if (run['end_time'] !== 0) return run;
  }
};
const lives: number[] = [];
const parts = {
  setup_duration: [] as number[],
  execution_duration: [] as number[],
  cleanup_duration: [] as number[],
};
const whole = async (): Promise<void> => {
  const { run_id } = await engine.call('POST', '2.0/jobs/run-now', { job_id });
  const run = await over(run_id);
  lives.push(Number(run['end_time']) - Number(run['start_time']));
  for (const [part, values] of Object.entries(parts)) values.push(Number(run[part]));
};
await times(5, whole);
lives.length = 0;
for (const values of Object.values(parts)) values.length = 0;
await times(30, whole);
const accepted: unknown[] = [];
const accept = await times(100, async () => {
  accepted.push((await engine.call('POST', '2.0/jobs/run-now', { job_id }))['run_id']);
});
for (const runId of accepted) await over(runId);

const many = { tasks: Array.from({ length: 100 }, (_, index) => ({ task_key: `t${index}`, ...python })) };
const parallel = await times(3, async () => {
  await over((await engine.call('POST', '2.1/jobs/runs/submit', many))['run_id']);
});
const bare = await times(30, async () => {
  await once(spawn('python3', ['-c', ''], { stdio: 'ignore', env: { PATH: path } }), 'exit');
});
const hundred = await times(3, async () => {
  await Promise.all(
    Array.from({ length: 100 }, () =>
      once(spawn('python3', ['-c', ''], { stdio: 'ignore', env: { PATH: path } }), 'exit'),
    ),
  );
});
process.stdout.write(
  [
    `run-now accepted (durable):           ${spread(accept)}`,
    `a run from accepted to ended:         ${spread(lives)}`,
    ...Object.entries(parts).map(([part, values]) => `  ${part.padEnd(36)}${spread(values)}`),
    `floor: the same program, bare:        ${spread(bare)}`,
    `100 parallel tasks, submit to end:    ${spread(parallel)}`,
    `floor: 100 bare processes at once:    ${spread(hundred)}`,
    '',
  ].join('\n'),
);
await engine.stop();
await directory.remove();
