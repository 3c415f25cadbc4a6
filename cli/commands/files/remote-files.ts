/** Files of managed_fs over the API: whole folders, and files of any size in blocks of 1 MB. */
import { open, type FileHandle } from 'node:fs/promises';
import { Type, type Static } from 'typebox';
import { callService, queryOf } from '../service-client.ts';

const blockBytes = 1_000_000;

const Nothing = Type.Object({});
const Status = Type.Object({
  /** Absolute path without a scheme. */
  path: Type.String(),
  is_dir: Type.Boolean(),
  /** Bytes. */
  file_size: Type.Integer(),
  /** Epoch ms. */
  modification_time: Type.Integer(),
});
const Listed = Type.Object({ files: Type.Optional(Type.Array(Status)) });
const Handle = Type.Object({ handle: Type.Integer() });
const Block = Type.Object({ bytes_read: Type.Integer(), data: Type.String() });

export type RemoteFile = Static<typeof Status>;

/** Takes the number of bytes that went over the wire. */
export type OnBytes = (count: number) => void;

export function getStatus(path: string): Promise<RemoteFile> {
  return callService(Status, 'GET', `/managed_fs/get-status${queryOf({ path })}`);
}

export async function listFolder(path: string): Promise<RemoteFile[]> {
  const { files = [] } = await callService(Listed, 'GET', `/managed_fs/list${queryOf({ path })}`);
  return files;
}

/** Returns all files below a folder. */
export async function listTree(path: string): Promise<RemoteFile[]> {
  const files: RemoteFile[] = [];
  for (const entry of await listFolder(path))
    files.push(...(entry.is_dir ? await listTree(entry.path) : [entry]));
  return files;
}

/** Yields the bytes of a file. */
export async function* readRemoteFile(path: string): AsyncGenerator<Buffer> {
  for (let offset = 0; ;) {
    const { bytes_read: count, data } = await callService(
      Block,
      'GET',
      `/managed_fs/read${queryOf({ path, offset, length: blockBytes })}`,
    );
    if (count === 0) return;
    yield Buffer.from(data, 'base64');
    offset += count;
  }
}

/** Writes a file of managed_fs. An interrupted upload leaves the old file. */
export async function upload(local: string, path: string, onBytes: OnBytes): Promise<void> {
  const { handle } = await callService(Handle, 'POST', '/managed_fs/create', {
    body: { path, overwrite: true },
  });
  const file = await open(local);
  try {
    for await (const block of readBlocks(file)) {
      await callService(Nothing, 'POST', '/managed_fs/add-block', {
        body: { handle, data: block.toString('base64') },
      });
      onBytes(block.length);
    }
  } finally {
    await file.close();
  }
  await callService(Nothing, 'POST', '/managed_fs/close', { body: { handle } });
}

async function* readBlocks(file: FileHandle): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(blockBytes);
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, blockBytes);
    if (bytesRead === 0) return;
    yield Buffer.from(buffer.subarray(0, bytesRead));
  }
}

export async function removeRemote(path: string, recursive: boolean): Promise<void> {
  await callService(Nothing, 'POST', '/managed_fs/delete', { body: { path, recursive } });
}

export async function makeFolder(path: string): Promise<void> {
  await callService(Nothing, 'POST', '/managed_fs/mkdirs', { body: { path } });
}

export async function moveRemote(from: string, to: string): Promise<void> {
  await callService(Nothing, 'POST', '/managed_fs/move', {
    body: { source_path: from, destination_path: to },
  });
}
