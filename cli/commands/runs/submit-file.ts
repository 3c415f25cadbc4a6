/** Uploads a local file and runs it once. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { Type } from 'typebox';
import { sourcePatterns } from '../../../engine/run/notebook-source/source-format.ts';
import { CommandError } from '../../start-error.ts';
import { callService } from '../service-client.ts';
import type { RunOptions } from './run-options.ts';

/** Extensions of files that run; a .py file is a notebook when its first line says so. */
const languages: Readonly<Record<string, string | undefined>> = {
  '.py': undefined,
  '.ipynb': 'PYTHON',
  '.sql': 'SQL',
  '.js': 'JAVASCRIPT',
};

const Nothing = Type.Object({});
const Started = Type.Object({ run_id: Type.Integer() });
const Me = Type.Object({ userName: Type.String() });
const Versions = Type.Object({ versions: Type.Array(Type.Object({ key: Type.String() })) });
const NodeTypes = Type.Object({ node_types: Type.Array(Type.Object({ node_type_id: Type.String() })) });

/** Returns true for a name that is a file to run and not a job. */
export function isProgramFile(name: string): boolean {
  return Object.hasOwn(languages, extname(name).toLowerCase());
}

/** Uploads a file and starts a one-time run of it. Resolves with the id of the run. @throws CommandError */
export async function submitFile(file: string, options: RunOptions): Promise<number> {
  const content = await readFile(file);
  const task = await uploadProgram(file, content, options);
  const { run_id: runId } = await callService(Started, 'POST', '/jobs/runs/submit', {
    body: {
      run_name: basename(file),
      tasks: [{ task_key: 'main', ...task, ...(await clusterOf(options)) }],
      ...(options.idempotencyToken !== undefined && { idempotency_token: options.idempotencyToken }),
    },
    version: '2.1',
  });
  return runId;
}

/** Stores the file below a name of its content, so that a later version does not change a running one. */
async function uploadProgram(file: string, content: Buffer, options: RunOptions): Promise<object> {
  const extension = extname(file).toLowerCase();
  const name = basename(file, extname(file));
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
  const language = languages[extension] ?? (isPythonNotebook(content) ? 'PYTHON' : undefined);
  if (language === undefined) {
    rejectOptions(Object.keys(options.param).length > 0, '--param', 'a program takes --arg', file);
    const path = `/runyard-cli/${hash}/${name}.py`;
    await callService(Nothing, 'POST', '/managed_fs/put', {
      body: { path, contents: content.toString('base64'), overwrite: true },
    });
    return { spark_python_task: { python_file: `managed_fs:${path}`, parameters: options.arg } };
  }
  rejectOptions(options.arg.length > 0, '--arg', 'a notebook takes --param', file);
  const { userName } = await callService(Me, 'GET', '/preview/scim/v2/Me');
  const path = `/Users/${userName}/runyard-cli/${hash}/${name}`;
  await callService(Nothing, 'POST', '/workspace/mkdirs', {
    body: { path: path.slice(0, path.lastIndexOf('/')) },
  });
  await callService(Nothing, 'POST', '/workspace/import', {
    body: {
      path,
      content: content.toString('base64'),
      overwrite: true,
      ...(extension === '.ipynb' ? { format: 'JUPYTER' } : { format: 'SOURCE', language }),
    },
  });
  return { notebook_task: { notebook_path: path, base_parameters: options.param } };
}

/** Returns true for a .py file whose first line is the header of a notebook. */
function isPythonNotebook(content: Buffer): boolean {
  const [firstLine = ''] = content.toString('utf8').split(/\r?\n/, 1);
  return sourcePatterns('#').header.test(firstLine);
}

function rejectOptions(isGiven: boolean, option: string, rule: string, file: string): void {
  if (isGiven) throw new CommandError(`${option} has no meaning for ${file}: ${rule}.`, { usage: true });
}

/** Returns the cluster that `--cluster` names, else a new one of the smallest size. */
async function clusterOf({ cluster }: RunOptions): Promise<object> {
  if (cluster !== undefined) return { existing_cluster_id: cluster };
  const [{ versions }, { node_types: nodeTypes }] = await Promise.all([
    callService(Versions, 'GET', '/clusters/spark-versions'),
    callService(NodeTypes, 'GET', '/clusters/list-node-types'),
  ]);
  const [version, nodeType] = [versions[0]?.key, nodeTypes[0]?.node_type_id];
  if (version === undefined || nodeType === undefined)
    throw new CommandError('The service offers no cluster: name one with --cluster.');
  return { new_cluster: { spark_version: version, node_type_id: nodeType, num_workers: 0 } };
}
