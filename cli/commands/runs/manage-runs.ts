/** `runyard runs list|get|cancel|repair|export`. */
import { systemClock } from '../../../engine/clock.ts';
import { writeFile } from 'node:fs/promises';
import { Type } from 'typebox';
import { findJob } from '../../client/find-job.ts';
import { readPages, takeItems } from '../../client/pages.ts';
import { RunDocument } from '../../client/service-documents.ts';
import { colourOf, durationOf, formatTime, stateOf } from '../../output/format-values.ts';
import { printDocument, printRows, type OutputOptions } from '../../output/print-result.ts';
import { CommandError } from '../../start-error.ts';
import { printLogs } from '../logs.ts';
import { createRunScreen } from '../../output/run-screen.ts';
import { printDiagnostic, printLine } from '../print-line.ts';
import { callService } from '../service-client.ts';

const Nothing = Type.Object({});

/** The list of all runs, newest first. */
const runList = {
  path: '/jobs/runs/list',
  field: 'runs',
  item: RunDocument,
  pageSize: ['limit', 100],
  version: '2.1',
} as const;

export interface ListRunsOptions extends OutputOptions {
  readonly job?: string;
  readonly active?: true;
  /** State or result, ignoring case. */
  readonly state?: string;
  readonly cause?: string;
  readonly limit: number;
}

/** Prints runs, newest first. Resolves with the exit code. @throws CommandError */
export async function listRuns(options: ListRunsOptions): Promise<number> {
  const job = options.job === undefined ? undefined : await findJob(options.job);
  const state = options.state?.toUpperCase();
  const runs = await takeItems(
    readPages(runList, {
      job_id: job?.job_id,
      active_only: options.active,
      cause_code: options.cause?.toUpperCase(),
    }),
    options.limit,
    (run) => state === undefined || state === stateOf(run) || state === run.state.life_cycle_state,
  );
  const now = systemClock.now();
  printRows(
    runs,
    [
      { title: 'ID', value: (run) => String(run.run_id) },
      { title: 'NAME', value: (run) => run.run_name },
      { title: 'STATE', value: stateOf, colour: (run) => colourOf(stateOf(run)) },
      { title: 'STARTED', value: (run) => formatTime(run.start_time) },
      { title: 'TIME', value: (run) => durationOf(run, now) },
      { title: 'MESSAGE', value: ({ state: { state_message: message = '' } }) => shorten(message) },
    ],
    options,
    'There are no such runs.',
  );
  return 0;
}

/** Prints a run with its tasks. Resolves with the exit code. @throws CommandError */
export async function getRunCommand(runId: number, options: OutputOptions): Promise<number> {
  printDocument(await getRun(runId), options);
  return 0;
}

/** Cancels a run. Resolves with the exit code when the service has taken the request. @throws CommandError */
export async function cancelRun(runId: number): Promise<number> {
  await callService(Nothing, 'POST', '/jobs/runs/cancel', { body: { run_id: runId }, version: '2.1' });
  printDiagnostic(`Run ${runId} is being cancelled.`);
  return 0;
}

export interface RepairOptions {
  /** Keys of tasks; without any, all tasks that did not succeed. */
  readonly task: readonly string[];
  readonly follow?: true;
}

const Repaired = Type.Object({ repair_id: Type.Integer() });
const RepairHistory = Type.Object({
  repair_history: Type.Optional(Type.Array(Type.Object({ id: Type.Optional(Type.Integer()) }))),
});

/** Reruns tasks of a run. Resolves with the exit code; with `follow` 1 when the run fails. @throws CommandError */
export async function repairRun(runId: number, { task, follow }: RepairOptions): Promise<number> {
  const { repair_history: history = [] } = await callService(
    RepairHistory,
    'GET',
    `/jobs/runs/get?run_id=${runId}&include_history=true`,
    { version: '2.1' },
  );
  const latest = history.findLast(({ id }) => id !== undefined)?.id;
  const { repair_id: repairId } = await callService(Repaired, 'POST', '/jobs/runs/repair', {
    body: {
      run_id: runId,
      ...(task.length > 0 ? { rerun_tasks: task } : { rerun_all_failed_tasks: true }),
      ...(latest !== undefined && { latest_repair_id: latest }),
    },
    version: '2.1',
  });
  printDiagnostic(`Repair ${repairId} of run ${runId} is started.`);
  return follow === true ? printLogs(runId, { follow, stream: 'both' }, createRunScreen()) : 0;
}

const Exported = Type.Object({
  views: Type.Array(Type.Object({ name: Type.String(), content: Type.String() })),
});

/** Writes the notebook of a run as an HTML page. Resolves with the exit code. @throws CommandError */
export async function exportRun(runId: number, file = `run-${runId}.html`): Promise<number> {
  const { views } = await callService(Exported, 'GET', `/jobs/runs/export?run_id=${runId}`, {
    version: '2.1',
  });
  const [view] = views;
  if (view === undefined) throw new CommandError(`Run ${runId} has no notebook to export.`);
  await writeFile(file, view.content);
  printLine(file);
  return 0;
}

function getRun(runId: number): Promise<RunDocument> {
  return callService(RunDocument, 'GET', `/jobs/runs/get?run_id=${runId}`, { version: '2.1' });
}

/** Messages are whole explanations; a table shows their beginning. */
function shorten(message: string): string {
  const text = message.replaceAll(/\s+/g, ' ').trim();
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
