/**
 * Runs a steady load for a long time: memory and file descriptors of the engine must not grow.
 * `node bench/soak.ts [minutes] [runs per second]`
 */
import { readdir, readFile } from 'node:fs/promises';
import { createTemporaryDirectory, startEngineUnderTest } from './engine-under-test.ts';

const minutes = Number(process.argv[2] ?? 30);
const runsPerSecond = Number(process.argv[3] ?? 2);
const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

const directory = await createTemporaryDirectory();
const engine = await startEngineUnderTest(directory.path, '/usr/local/bin:/usr/bin:/bin');
await engine.call('POST', '2.0/managed_fs/put', {
  path: '/ok.py',
  contents: Buffer.from('print("ok")\n').toString('base64'),
});
await engine.call('POST', '2.0/managed_fs/put', {
  path: '/bad.py',
  contents: Buffer.from('raise SystemExit(1)\n').toString('base64'),
});
const python = (file: string) => ({
  existing_cluster_id: 'soak',
  spark_python_task: { python_file: `managed_fs:/${file}.py` },
});
const create = async (settings: object): Promise<unknown> =>
  (
    await engine.call('POST', '2.1/jobs/create', {
      name: 'soak',
      queue: { enabled: true },
      max_concurrent_runs: 4,
      ...settings,
    })
  )['job_id'];
const jobs = [
  await create({ tasks: [{ task_key: 'a', ...python('ok') }] }),
  await create({
    tasks: [
      { task_key: 'a', ...python('ok') },
      { task_key: 'b', depends_on: [{ task_key: 'a' }], ...python('ok') },
    ],
  }),
  await create({ tasks: [{ task_key: 'a', ...python('bad'), max_retries: 1 }] }),
];

interface Sample {
  readonly minute: number;
  readonly residentMegabytes: number;
  readonly heapMegabytes: number;
  readonly descriptors: number;
  readonly runs: number;
}

async function takeSample(minute: number, runs: number): Promise<Sample> {
  const status = await readFile(`/proc/${engine.pid}/status`, 'utf8');
  const kilobytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  const heapMegabytes = (await engine.readMetric('nodejs_heap_used_bytes')) / 2 ** 20;
  return {
    minute,
    residentMegabytes: kilobytes / 1_024,
    heapMegabytes,
    descriptors: (await readdir(`/proc/${engine.pid}/fd`)).length,
    runs,
  };
}

let started = 0;
const samples: Sample[] = [];
for (let minute = 0; minute < minutes; minute += 1) {
  for (let tick = 0; tick < 60 * runsPerSecond; tick += 1) {
    await Promise.all([
      sleep(1_000 / runsPerSecond),
      engine.call('POST', '2.1/jobs/run-now', { job_id: jobs[started % jobs.length] }),
    ]);
    started += 1;
  }
  const taken = await takeSample(minute + 1, started);
  samples.push(taken);
  process.stdout.write(
    `${taken.minute} min: ${taken.residentMegabytes.toFixed(0)} MB, heap ${taken.heapMegabytes.toFixed(0)} MB, ${taken.descriptors} file descriptors, ${taken.runs} runs\n`,
  );
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
const third = Math.max(1, Math.floor(samples.length / 3));
// The first third warms up.
const [middle, last] = [samples.slice(third, 2 * third), samples.slice(-third)];
process.stdout.write(
  [
    `${started} runs in ${minutes} minutes`,
    `memory, median of the second third and of the last: ${median(middle.map((one) => one.residentMegabytes)).toFixed(0)} MB, ${median(last.map((one) => one.residentMegabytes)).toFixed(0)} MB`,
    `file descriptors, the same: ${median(middle.map((one) => one.descriptors))}, ${median(last.map((one) => one.descriptors))}`,
    '',
  ].join('\n'),
);
await engine.stop();
await directory.remove();
