/** Runs the notebook driver on a notebook without an engine. */
import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CellOutput, NotebookReport } from '../../../engine/run/task-output.ts';
import { findProgram, createTemporaryDirectory } from './test-context.ts';

const [driver, sqlCells] = ['driver.py', 'sql-cells.ts'].map((name) =>
  fileURLToPath(new URL(`../../../runners/notebook/${name}`, import.meta.url)),
);
const systemPython = (await findProgram('python3')) ?? 'python3';

/** Returns a Python of this machine that can import a module: the system Python, or the first on PATH. */
export function findPythonWith(module: string): string | undefined {
  return [systemPython, 'python3'].find(
    (python) => spawnSync(python, ['-c', `import ${module}`]).status === 0,
  );
}

export interface DriverResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly report: NotebookReport;
}

export interface DriverOptions {
  /** Default `.py`. */
  readonly extension?: string;
  /** Files in the folder of the notebook /team/nb. */
  readonly workspaceFiles?: Readonly<Record<string, string>>;
  readonly python?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Returns a notebook in source format. */
export function notebookSource(...cells: string[]): string {
  return `# Databricks notebook source\n${cells.join('\n\n# COMMAND ----------\n\n')}\n`;
}

export async function runDriver(
  source: string | Buffer,
  parameters: Record<string, string> = {},
  cellBytes = 10_000,
  { extension = '.py', workspaceFiles = {}, python = systemPython, env = {} }: DriverOptions = {},
): Promise<DriverResult> {
  const directory = await createTemporaryDirectory();
  const pathOf = (name: string): string => join(directory, name);
  const team = join(directory, 'workspace', 'team');
  await mkdir(team, { recursive: true });
  await mkdir(pathOf('managed_fs'));
  for (const [name, text] of Object.entries({
    'beside.py': 'VALUE = "imported from beside the notebook"',
    ...workspaceFiles,
  }))
    await writeFile(join(team, name), text);
  const [snapshot, report, order] = [
    pathOf(`notebook${extension}`),
    pathOf('notebook.json'),
    pathOf('order.json'),
  ];
  await writeFile(snapshot, source);
  await writeFile(
    order,
    JSON.stringify({
      notebook: snapshot,
      path: '/team/nb',
      parameters,
      report,
      cellBytes,
      packages: pathOf('packages'),
      questions: pathOf('questions'),
      values: { file: pathOf('values.json'), before: {}, valueBytes: 100, allBytes: 150 },
      sql: [process.execPath, sqlCells],
    }),
  );
  const done = spawnSync(python, [driver ?? '', order], {
    cwd: directory,
    encoding: 'utf8',
    env: {
      PYTHONUNBUFFERED: '1',
      PATH: process.env['PATH'],
      HOME: directory,
      TMPDIR: directory,
      RUNYARD_WORKSPACE: pathOf('workspace'),
      RUNYARD_MANAGED_FS: pathOf('managed_fs'),
      ...env,
    },
  });
  return {
    code: done.status,
    stdout: done.stdout,
    stderr: done.stderr,
    report: JSON.parse(await readFile(report, 'utf8')),
  };
}

/** Returns the outputs of the last cell. */
export function lastCellOutputs({ report }: DriverResult): readonly CellOutput[] {
  return report.cells.at(-1)?.outputs ?? [];
}
