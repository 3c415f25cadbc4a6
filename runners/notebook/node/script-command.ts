/**
 * What is started for a SQL or JavaScript notebook: Node, which runs this service, with the driver of such
 * notebooks.
 */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NotebookTask } from '../../../engine/job/task-schemas.ts';
import type { Command, RunnerContext } from '../../contract.ts';
import { createFileAtomically, writeFileAtomically } from '../../process/pinned-command.ts';
import type { NotebookDriverInput, ScriptLanguage } from './driver-protocol.ts';

const driverProgram = fileURLToPath(new URL('./driver.ts', import.meta.url));

/** File extension -> the language that such a notebook is run in. */
export const scriptLanguages: Readonly<Record<string, ScriptLanguage>> = {
  '.sql': 'sql',
  '.js': 'javascript',
};

const snapshotNames = { sql: 'notebook.sql', javascript: 'notebook.js' } as const satisfies Record<
  ScriptLanguage,
  string
>;

/** Takes the snapshot and tells the driver what to do with it. @param file the notebook on this machine */
export async function createScriptCommand(
  language: ScriptLanguage,
  file: string,
  task: NotebookTask,
  context: RunnerContext,
): Promise<Command> {
  const { directory, limits } = context;
  const snapshot = join(directory, snapshotNames[language]);
  await createFileAtomically(snapshot, (draft) => copyFile(file, draft));
  const order: NotebookDriverInput = {
    language,
    notebook: snapshot,
    path: task.notebook_path,
    questions: join(directory, 'questions'),
    parameters: task.base_parameters ?? {},
    values: {
      file: join(directory, 'values.json'),
      before: context.taskValues,
      valueBytes: limits.taskValueBytes,
      allBytes: limits.taskValuesBytes,
    },
    report: join(directory, 'notebook.json'),
    temporary: join(directory, 'tmp', 'database'),
    cellBytes: limits.notebookCellBytes,
  };
  const orderFile = join(directory, 'notebook-task.json');
  await writeFileAtomically(orderFile, JSON.stringify(order));
  // The shell hands over where files are: the runner knows that only as variables of the task's environment.
  return {
    argv: [
      '/bin/sh',
      '-c',
      'exec "$0" "$@" "$RUNYARD_MANAGED_FS" "$RUNYARD_WORKSPACE"',
      process.execPath,
      driverProgram,
      orderFile,
    ],
  };
}
