/** Command of a SQL or JavaScript notebook: the driver of such notebooks, run by the Node of this service. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NotebookTask } from '../../../engine/job/task-schemas.ts';
import type { Command, RunnerContext } from '../../contract.ts';
import { createFileAtomically, writeFileAtomically } from '../../process/pinned-command.ts';
import type { NotebookDriverInput, ScriptLanguage } from './driver-protocol.ts';

const driverProgram = fileURLToPath(new URL('./driver.ts', import.meta.url));

/** File extension -> language of the notebook. */
export const scriptLanguages: Readonly<Record<string, ScriptLanguage>> = {
  '.sql': 'sql',
  '.js': 'javascript',
};

const snapshotNames = { sql: 'notebook.sql', javascript: 'notebook.js' } as const satisfies Record<
  ScriptLanguage,
  string
>;

/** Takes the snapshot and writes the input of the driver. @param file local path of the notebook */
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
  // The directories are only known as environment variables of the task, which the shell expands.
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
