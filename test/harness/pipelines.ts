/** Pipelines for lives through HTTP: their files, and waiting for their updates. */
import { join } from 'node:path';
import { parquetRows, type Row } from '../unit/runners/pipeline/world.ts';
import type { Answer, Client } from './client.ts';

/** Puts a file into the workspace as it is. */
export async function putWorkspaceFile(client: Client, path: string, text: string): Promise<void> {
  await client.ok('POST', '2.0/workspace/mkdirs', { path: path.slice(0, path.lastIndexOf('/')) });
  await client.ok('POST', '2.0/workspace/import', {
    path,
    format: 'AUTO',
    overwrite: true,
    content: Buffer.from(text).toString('base64'),
  });
}

export function pathOf(id: string, rest = ''): string {
  return `2.0/pipelines/${encodeURIComponent(id)}${rest}`;
}

/** Starts an update and waits until it is over. */
export async function updated(client: Client, pipeline: string, request: object = {}): Promise<Answer> {
  const { update_id: updateId } = await client.ok('POST', pathOf(pipeline, '/updates'), request);
  return ended(client, pipeline, updateId);
}

export async function ended(client: Client, pipeline: string, updateId: string): Promise<Answer> {
  return updateWhen(client, pipeline, updateId, ({ state }) =>
    ['COMPLETED', 'FAILED', 'CANCELED'].includes(state),
  );
}

export async function updateWhen(
  client: Client,
  pipeline: string,
  updateId: string,
  holds: (update: Answer) => boolean,
): Promise<Answer> {
  for (;;) {
    const { update } = await client.ok('GET', pathOf(pipeline, `/updates/${updateId}`));
    if (holds(update)) return update;
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}

/** The rows of a published table. @param sql names it `t` */
export async function published(
  dataDirectory: string,
  storage: string,
  table: string,
  sql = 'SELECT * FROM t ORDER BY ALL',
): Promise<Row[]> {
  return parquetRows(join(dataDirectory, 'managed_fs', storage, 'current', table), sql);
}
