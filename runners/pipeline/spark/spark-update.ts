/** Update of a pipeline in Spark: its definitions go to a Python program, whose reports become events. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { invalid } from '../../../engine/errors.ts';
import { tryParseJson } from '../../../engine/read-file.ts';
import { checkNames } from '../../../engine/pipeline/pipeline-graph.ts';
import { parseDefinition } from '../../../engine/pipeline/parse-definition.ts';
import type { SourceFile } from '../../../engine/pipeline/source-location.ts';
import { toSparkDefinition, type SparkDefinition } from '../../../engine/pipeline/spark-definition.ts';
import { checkUpdateRequest } from '../../../engine/pipeline/select-tables.ts';
import type { UpdatePlan } from '../../../engine/pipeline/update-plan.ts';
import type { EventLog } from '../event-log.ts';
import { createReportReader, SparkUpdateError } from './spark-reports.ts';
import { checkStorageEngine, claimStorage } from './storage-owner.ts';

const pythonDirectory = fileURLToPath(new URL('../python', import.meta.url));

/** What the program of an update runs with. */
export interface SparkProgram {
  /** Python interpreter, which finds PySpark by the variables of the process. */
  readonly python: string;
  /** Directory of the event logs of the driver. */
  readonly eventLog: string;
}

/**
 * Runs an update.
 * @param scratch temporary directory of the update
 * @throws Error whose message becomes the state message
 */
export async function runSparkUpdate(
  order: UpdatePlan,
  scratch: string,
  log: EventLog,
  program: SparkProgram,
): Promise<void> {
  const reader = createReportReader(order, log);
  reader.progress(
    'INITIALIZING',
    `Update ${order.updateId} of pipeline ${order.pipelineName} reads its definition.`,
  );
  checkUpdateRequest(order.request);
  await checkStorageEngine(order, 'spark');
  const definition = readSqlDefinition(order);
  if (!order.request.validateOnly) await claimStorage(order);
  const python = await writePythonFiles(order.sources, join(scratch, 'definitions'));
  const file = join(scratch, 'definition.json');
  const { configuration, request, schema, storage, updateId } = order;
  await writeFile(
    file,
    JSON.stringify({
      ...definition,
      python,
      roots: [...new Set(python.map(([, path]) => dirname(path)))],
      eventLog: program.eventLog,
      configuration: ownConfiguration(configuration),
      request,
      schema,
      storage,
      updateId,
    }),
    { mode: 0o600 },
  );
  const code = await runProgram(program.python, file, (line) => reader.read(tryParseJson(line)));
  reader.finish(code);
}

/** Returns the configuration without the properties of Runyard. */
function ownConfiguration(configuration: UpdatePlan['configuration']): Record<string, string> {
  return Object.fromEntries(Object.entries(configuration).filter(([name]) => !name.startsWith('runyard.')));
}

function readSqlDefinition({ sources, configuration }: UpdatePlan): SparkDefinition {
  const jupyter = sources.find(({ path }) => /\.ipynb$/i.test(path));
  if (jupyter !== undefined)
    throw invalid(`${jupyter.path} is a Jupyter notebook; definitions are .sql and .py files.`);
  const sql = sources.filter(({ path }) => !/\.py$/i.test(path));
  if (sql.length === 0 && sources.length > 0) return { tables: [], views: [], flows: [], files: [] };
  const definition = parseDefinition(sql, configuration, sql.length < sources.length ? 'part' : 'whole');
  // Definitions in Python may have the targets of flows.
  if (sql.length === sources.length) checkNames(definition);
  return toSparkDefinition(definition);
}

/** Writes the Python files below a directory and returns their paths in the workspace and there. */
async function writePythonFiles(
  sources: readonly SourceFile[],
  directory: string,
): Promise<[shown: string, path: string][]> {
  const files: [string, string][] = [];
  for (const { path, text } of sources.filter((source) => /\.py$/i.test(source.path))) {
    const file = join(directory, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    files.push([path, file]);
  }
  return files;
}

/** Runs the program and returns its exit code; it ends with this process. */
async function runProgram(python: string, file: string, onLine: (line: string) => void): Promise<number> {
  const child = spawn(python, [join(pythonDirectory, 'runyard_pipeline.py'), file], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  const exited = once(child, 'exit');
  const reports = child.stdio[3] as Readable;
  for await (const line of createInterface({ input: reports })) onLine(line);
  const [code]: unknown[] = await exited;
  if (typeof code !== 'number')
    throw new SparkUpdateError('The program of the update was killed.', undefined);
  return code;
}
