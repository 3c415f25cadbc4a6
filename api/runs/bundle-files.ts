/** Files of a bundle: the documents of a run and of all its attempts. */
import { tasksOf } from '../../engine/job/job-format.ts';
import { builtInKindOf } from '../../engine/job/task-kinds.ts';
import { logStreams } from '../../engine/log-file.ts';
import type { LogRef, LogReader, LogReadOptions } from '../../engine/ports/attempt-logs.ts';
import { historyOf } from '../../engine/run/history.ts';
import { maskTexts, maskSecretFields } from '../../engine/run/masking.ts';
import { renderExplanation } from '../../engine/run/explain/render-explanation.ts';
import { codePage } from '../../engine/run/notebook-page/page.ts';
import { runAsOfAttempt, type Repair } from '../../engine/run/repair-rounds.ts';
import type { RunWithTasks, TaskRun } from '../../engine/run/run.ts';
import { isTerminal } from '../../engine/run/states.ts';
import { createTextFile, type ArchivedFile } from '../http/tar-stream.ts';
import type { OperationPorts } from '../http/ports.ts';
import { toRepairHistory } from '../views/repair-history.ts';
import { toRunView } from '../views/run-view.ts';
import { buildNotebookExport } from './export.ts';

export type BundlePorts = Pick<
  OperationPorts,
  'runs' | 'outputs' | 'notebooks' | 'logs' | 'limits' | 'workspaceInfo' | 'clock'
>;

/** Bytes per read of a log. */
const chunkBytes = 256 * 1_024;

/** Yields the files of a bundle; each is produced on demand. */
export async function* createBundleFiles(
  ports: BundlePorts,
  found: RunWithTasks,
  repairs: readonly Repair[],
): AsyncGenerator<ArchivedFile> {
  const { run, tasks } = found;
  const mask = await ports.runs.getMask(run);
  const now = ports.clock.now();
  const context = { version: '2.1', workspaceInfo: ports.workspaceInfo, repairs } as const;
  const json = (path: string, value: unknown): ArchivedFile =>
    createTextFile(path, `${JSON.stringify(maskSecretFields(mask, value), undefined, 2)}\n`, now);
  yield json('run.json', {
    ...toRunView(found, context),
    repair_history: toRepairHistory(found, repairs, context),
    settings: run.settings,
  });
  const { explanation } = run.progress;
  if (explanation !== undefined)
    yield createTextFile(
      'explanation.txt',
      `${renderExplanation(`Run ${run.runId} of ${run.name}`, maskTexts(mask, explanation)).join('\n')}\n`,
      now,
    );
  yield json('events.json', { events: historyOf(found, repairs) });
  for (const task of tasks)
    yield* createAttemptFiles(ports, runAsOfAttempt(task.runId, found, repairs), task, now);
}

async function* createAttemptFiles(
  ports: BundlePorts,
  found: RunWithTasks,
  task: TaskRun,
  now: number,
): AsyncGenerator<ArchivedFile> {
  const { runId, progress } = task;
  const folder = `tasks/${toFolderName(task.taskKey)}/attempt-${found.run.attempt + task.attempt}`;
  const modified = progress.endTime ?? now;
  const view: LogReadOptions = {
    mask: await ports.runs.getMask(found.run),
    isComplete: isTerminal(progress.state),
  };
  const missing: string[] = [];
  for (const stream of logStreams) {
    const file = await createLogFile(ports.logs, { runId, stream }, view, `${folder}/${stream}`, modified);
    if (file === undefined) missing.push(`${stream}: the file does not exist. ${explainMissing(task)}`);
    else yield file;
  }
  const output = await ports.outputs.readOutput(runId);
  if (output === undefined) missing.push(`output.json: the attempt has no output. ${explainMissing(task)}`);
  else
    yield createTextFile(
      `${folder}/output.json`,
      `${JSON.stringify(maskTexts(view.mask, output), undefined, 2)}\n`,
      modified,
    );
  const settings = tasksOf(found.run.settings).find((one) => one.task_key === task.taskKey);
  if (settings !== undefined && builtInKindOf(settings) === 'notebook_task') {
    if (progress.startTime === undefined) missing.push(`notebook.html: ${explainMissing(task)}`);
    else
      yield createTextFile(
        `${folder}/notebook.html`,
        codePage(await buildNotebookExport(ports, found, runId)),
        modified,
      );
  }
  if (missing.length > 0) yield createTextFile(`${folder}/missing.txt`, `${missing.join('\n')}\n`, modified);
}

/** Returns a log file; undefined for a missing log. The log is read twice: tar headers contain the size. */
async function createLogFile(
  logs: LogReader,
  log: LogRef,
  view: LogReadOptions,
  path: string,
  modified: number,
): Promise<ArchivedFile | undefined> {
  const end = await logs.getSize(log);
  if (end === undefined) return undefined;
  let size = 0;
  for await (const chunk of readLogChunks(logs, log, view, end)) size += chunk.length;
  return { path, size, modifiedTime: modified, content: () => readLogChunks(logs, log, view, end) };
}

async function* readLogChunks(
  logs: LogReader,
  log: LogRef,
  view: LogReadOptions,
  end: number,
): AsyncGenerator<Buffer> {
  for (let offset = 0; offset < end;) {
    const page = await logs.readPage(log, offset, Math.min(chunkBytes, end - offset), view);
    if (page.nextOffset === offset || page.offset !== offset) return;
    offset = page.nextOffset;
    yield Buffer.from(page.text, 'utf8');
  }
}

/** Returns the reason for a missing file, as far as it is known. */
function explainMissing({ progress: { state, startTime, runningTime, message } }: TaskRun): string {
  if (startTime === undefined)
    return isTerminal(state)
      ? `The attempt never started: ${message === '' ? state : message}`
      : 'The attempt has not started yet.';
  if (!isTerminal(state)) return 'The attempt has not finished.';
  return runningTime === undefined
    ? `The attempt ended before its process started: ${message}`
    : 'The task did not write it, or removed it.';
}

/** Returns a folder name that is safe on every file system. */
function toFolderName(key: string): string {
  return key.replaceAll(/[^\w-]/g, '_').slice(0, 100);
}
