/** Pipelines in end-to-end tests: their files, and waiting for their updates. */
import { join } from 'node:path';
import { readParquetRows, type Row } from '../unit/runners/pipeline/pipeline-harness.ts';
import type { ResponseBody, ApiClient } from './api-client.ts';
import { eventually } from './eventually.ts';

/** Uploads a plain file to the workspace. */
export async function putWorkspaceFile(client: ApiClient, path: string, text: string): Promise<void> {
  await client.callOk('POST', '2.0/workspace/mkdirs', { path: path.slice(0, path.lastIndexOf('/')) });
  await client.callOk('POST', '2.0/workspace/import', {
    path,
    format: 'AUTO',
    overwrite: true,
    content: Buffer.from(text).toString('base64'),
  });
}

export function pipelinePath(id: string, rest = ''): string {
  return `2.0/pipelines/${encodeURIComponent(id)}${rest}`;
}

/** Starts an update, waits until it ends, and returns it. */
export async function runPipelineUpdate(
  client: ApiClient,
  pipeline: string,
  request: object = {},
  within?: number,
): Promise<ResponseBody> {
  const { update_id: updateId } = await client.callOk('POST', pipelinePath(pipeline, '/updates'), request);
  return waitForUpdateEnd(client, pipeline, updateId, within);
}

export async function waitForUpdateEnd(
  client: ApiClient,
  pipeline: string,
  updateId: string,
  within?: number,
): Promise<ResponseBody> {
  const isEnd = ({ state }: ResponseBody) => ['COMPLETED', 'FAILED', 'CANCELED'].includes(state);
  return waitForUpdate(client, pipeline, updateId, isEnd, within);
}

export async function waitForUpdate(
  client: ApiClient,
  pipeline: string,
  updateId: string,
  isReached: (update: ResponseBody) => boolean,
  within?: number,
): Promise<ResponseBody> {
  return eventually(
    async () => (await client.callOk('GET', pipelinePath(pipeline, `/updates/${updateId}`))).update,
    { until: isReached, ...(within !== undefined && { within }) },
  );
}

/** Reads the rows of a published table. @param sql query in which the table is called `t` */
export async function readPublishedTable(
  dataDirectory: string,
  storage: string,
  table: string,
  sql = 'SELECT * FROM t ORDER BY ALL',
): Promise<Row[]> {
  return readParquetRows(join(dataDirectory, 'managed_fs', storage, 'current', table), sql);
}
