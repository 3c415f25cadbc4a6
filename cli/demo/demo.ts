/**
 * `runyard demo`: starts a separate engine, runs a job on real data, and prints its progress.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { systemClock } from '../../engine/clock.ts';
import { createConfig, wantsPlainText } from '../config.ts';
import { createDemoClient, type DemoClient, type Run } from './demo-client.ts';
import { installExample, followRun, sparkExample, summarizeReport, weatherExample } from './demo-job.ts';
import { formatDuration, createLiveProgress, createPlainProgress } from './demo-progress.ts';
import { createFileLogger } from '../logger.ts';
import { printLine } from '../commands/print-line.ts';
import { startService, type Service } from '../wiring/service.ts';
import { toStartError } from '../start-error.ts';
import { listenForStop } from '../stop-signal.ts';

export interface DemoOptions {
  /** Keeps all data in this directory instead of a temporary one. */
  readonly dataDir?: string;
  /** Year of the report, in four digits. */
  readonly year: string;
  /** Leaves the engine running until a signal. */
  readonly keep?: true;
  /** Runs the example of Spark on a cluster with a Spark of its own. */
  readonly spark?: true;
}

/** Resolves with 0 when the run succeeded, 1 when it failed, 130 after a signal. @throws CommandError */
export async function runDemo(options: DemoOptions): Promise<number> {
  const temporary = options.dataDir === undefined;
  const directory =
    options.dataDir === undefined ? await createTemporaryDirectory() : resolve(options.dataDir);
  const stop = listenForStop(systemClock);
  printLine('Starting an engine for the demo ...');
  let code = 1;
  try {
    code = await withService(directory, options.spark === true, async (service) => {
      const result = await runExample(service, options, directory, stop.firstSignal);
      if (options.keep === true && result !== 130) await waitForStop(service, stop.firstSignal);
      return result;
    });
    return code;
  } finally {
    stop.dispose();
    const removed = temporary && code !== 1 && options.keep !== true;
    if (removed) await rm(directory, { recursive: true, force: true });
    printLine(
      removed
        ? `\nRemoved ${directory}; --keep or --data-dir keeps it.`
        : `\nAll data is kept in ${directory}`,
    );
  }
}

/** Makes the directory traversable for the user of the embedded database, for a demo that runs as root. */
async function createTemporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'runyard-demo-'));
  await chmod(directory, 0o711);
  return directory;
}

async function withService(
  directory: string,
  withSpark: boolean,
  use: (service: Service) => Promise<number>,
): Promise<number> {
  const config = createConfig({
    RUNYARD_DATA_DIR: directory,
    RUNYARD_PORT: '0',
    // PySpark is kept for the next demo.
    ...(withSpark && {
      RUNYARD_CLUSTERS: '{"spark_master":"local[*]"}',
      RUNYARD_SPARK_CACHE_DIR: join(homedir(), '.cache', 'runyard', 'spark'),
    }),
  });
  const log = createFileLogger(config.logLevel, join(directory, 'engine.log'));
  const service = await startService(config, log).catch((error: unknown) => {
    throw toStartError(error, config);
  });
  try {
    return await use(service);
  } finally {
    await service.stop();
  }
}

async function runExample(
  service: Service,
  { year, spark }: Pick<DemoOptions, 'year' | 'spark'>,
  directory: string,
  stop: Promise<unknown>,
): Promise<number> {
  const client = createDemoClient(service.url, service.token);
  printLine(`Engine at ${service.url}, data and engine.log in ${directory}`);
  const jobId = await installExample(client, spark === true ? sparkExample : weatherExample);
  const runId = await client.runNow(jobId, { year });
  printLine(`Job ${jobId}, run ${runId}: the weather of Seattle in ${year}\n`);
  const live = process.stdout.isTTY && !wantsPlainText();
  const progress = live ? createLiveProgress(process.stdout) : createPlainProgress(process.stdout);
  const run = await followRun(client, runId, progress, systemClock, stop);
  const result = run.state.result_state ?? run.state.life_cycle_state;
  printLine(`\nThe run ended with ${result} after ${formatDuration(run, systemClock.now()) ?? '0 s'}.`);
  for (const task of run.tasks)
    printLine(
      `Logs and output of ${task.task_key.padEnd(12)}${join(directory, 'runs', String(task.run_id))}`,
    );
  if (result === 'SUCCESS') await showResult(client, run);
  else await showErrors(client, run);
  if (result === 'CANCELED') return 130;
  return result === 'SUCCESS' ? 0 : 1;
}

/** Prints the exit value of the last task as JSON and as a sentence. */
async function showResult(client: DemoClient, run: Run): Promise<void> {
  const last = run.tasks.find((task) => task.task_key === 'report');
  const output = last && (await client.getOutput(last.run_id));
  const value: unknown = JSON.parse(output?.notebook_output?.result ?? 'null');
  printLine(`\n${JSON.stringify(value, undefined, 2)}`);
  const sentence = summarizeReport(value);
  if (sentence !== undefined) printLine(`\n${sentence}`);
}

async function showErrors(client: DemoClient, run: Run): Promise<void> {
  for (const task of run.tasks.filter(
    ({ state }) => state.result_state === 'FAILED' || state.life_cycle_state === 'INTERNAL_ERROR',
  )) {
    const { error, error_trace: trace } = await client.getOutput(task.run_id);
    printLine(`\n${task.task_key} failed: ${error ?? task.state.state_message}`);
    if (trace !== undefined) printLine(trace.trimEnd());
  }
}

async function waitForStop(service: Service, stop: Promise<unknown>): Promise<void> {
  printLine(`\nThe engine runs until Ctrl-C.\nURL       ${service.url}\nToken     ${service.token}`);
  printLine(
    `Try       curl -H 'Authorization: Bearer ${service.token}' ${service.url}/api/2.1/jobs/runs/list`,
  );
  await stop;
}
