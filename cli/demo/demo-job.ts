/** Job of the demo: installs the weather example and follows its run. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Type, type Static } from 'typebox';
import { Check } from 'typebox/value';
import type { Clock } from '../../engine/clock.ts';
import { isTerminal } from '../../engine/run/states.ts';
import type { DemoClient, Run } from './demo-client.ts';
import type { ProgressDisplay } from './demo-progress.ts';

/** Files of a demo and where they are installed. */
export interface DemoExample {
  /** Folder of managed_fs and of the workspace. */
  readonly folder: string;
  /** Directory with its files, notebooks and `job.json`. */
  readonly directory: URL;
  readonly files: readonly string[];
  readonly notebooks: readonly string[];
  /** Plain files of the workspace. */
  readonly workspaceFiles: readonly string[];
}

const examples = new URL('../../examples/', import.meta.url);

export const weatherExample: DemoExample = {
  folder: '/weather',
  directory: new URL('weather/', examples),
  files: ['ingest.py', 'seattle-weather.csv'],
  notebooks: ['temperature', 'rain', 'report'],
  workspaceFiles: [],
};

/** The weather again, computed by Spark. */
export const sparkExample: DemoExample = {
  folder: '/weather-spark',
  directory: new URL('spark/', examples),
  files: ['ingest.py', 'build_jar.py', 'Records.scala', '../weather/seattle-weather.csv'],
  notebooks: ['months', 'report'],
  workspaceFiles: [
    'pipeline/spark-pipeline.yml',
    'pipeline/transformations/months.py',
    'pipeline/transformations/wet-months.sql',
  ],
};

/** Poll interval of the run, ms. */
const pollIntervalMs = 150;

/** Fields of the exit value of the last notebook that the summary uses. */
const Report = Type.Object({
  year: Type.Integer(),
  days: Type.Integer(),
  mean_temp_max: Type.Number(),
  hottest_day: Type.Object({ date: Type.String(), temp_max: Type.Number() }),
  total_precipitation_mm: Type.Number(),
  rain_days: Type.Integer(),
  longest_dry_spell_days: Type.Integer(),
});

/**
 * Uploads the files of the example and creates its job. Resolves with the id of the job.
 * @param name name of the job; default: that of the example
 */
export async function installExample(
  client: DemoClient,
  { folder, directory, files, notebooks, workspaceFiles }: DemoExample,
  name?: string,
): Promise<number> {
  for (const file of files)
    await client.putFile(`${folder}/${basename(file)}`, await readFile(new URL(file, directory)));
  for (const notebook of notebooks)
    await client.importNotebook(
      `${folder}/${notebook}`,
      await readFile(new URL(`${notebook}.py`, directory)),
    );
  for (const file of workspaceFiles)
    await client.importFile(`${folder}/${file}`, await readFile(new URL(file, directory)));
  const settings: unknown = JSON.parse(await readFile(new URL('job.json', directory), 'utf8'));
  return client.createJob({ ...Object(settings), ...(name !== undefined && { name }) });
}

/**
 * Shows the run until it ends, and resolves with it. Cancels the run when `stop` resolves, because its tasks
 * would outlive the demo.
 */
export async function followRun(
  client: DemoClient,
  runId: number,
  progress: ProgressDisplay,
  clock: Clock,
  stop: Promise<unknown>,
): Promise<Run> {
  const stopped = stop.then(() => true);
  let cancelled = false;
  for (;;) {
    const run = await client.getRun(runId);
    progress.update(run.tasks, clock.now());
    if (isTerminal(run.state.life_cycle_state)) return run;
    const pause = sleep(pollIntervalMs, false);
    if (cancelled) await pause;
    else cancelled = await Promise.race([stopped, pause]);
    if (cancelled) await client.cancel(runId);
  }
}

/** Renders the report as a sentence; undefined when the value is not a report. */
export function summarizeReport(result: unknown): string | undefined {
  if (!Check(Report, result)) return undefined;
  const report: Static<typeof Report> = result;
  return (
    `Seattle in ${report.year}: ${report.days} days with a mean maximum of ${report.mean_temp_max} °C, ` +
    `the hottest on ${report.hottest_day.date} with ${report.hottest_day.temp_max} °C; ` +
    `${report.total_precipitation_mm} mm of rain on ${report.rain_days} days, and a dry spell of ${report.longest_dry_spell_days} days.`
  );
}
