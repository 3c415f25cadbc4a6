/** Reads files that tasks or users may replace at any time, without blocking and without following links. */
import { constants, type Stats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { codeOf } from './errors.ts';

/**
 * Opens a regular file for reading; undefined for anything else. Does not follow a link in the last segment
 * of the path. The caller closes the file.
 */
export async function openRegularFile(path: string): Promise<FileHandle | undefined> {
  let file;
  try {
    // Without O_NONBLOCK the call blocks on a named pipe until a writer opens it.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error);
    // ELOOP: a link, ENXIO: a socket.
    if (isMissing(error) || code === 'ELOOP' || code === 'ENXIO') return undefined;
    throw error;
  }
  if ((await file.stat()).isFile()) return file;
  await file.close();
  return undefined;
}

/** Reads at most `length` bytes from `offset`, up to the current end of the file. */
export async function readRange(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { size } = await file.stat();
  const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - offset)));
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, offset + filled);
    // The file was truncated during the read.
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** First part of a file. */
export interface FileHead {
  readonly text: string;
  /** Number of bytes read. */
  readonly bytes: number;
  readonly truncated: boolean;
}

const emptyHead: FileHead = { text: '', bytes: 0, truncated: false };

/**
 * Reads the first `maxBytes` bytes of a file as text. Returns an empty head when the file is not a regular
 * file or may not be read.
 */
export async function readHead(path: string, maxBytes: number): Promise<FileHead> {
  return (
    (await withRegularFile(path, async (file) => {
      const { size } = await file.stat();
      const bytes = await readRange(file, 0, maxBytes);
      const decoder = new StringDecoder('utf8');
      const whole = decoder.write(bytes);
      // A character split by the limit is dropped; one that is incomplete in the file itself is replaced.
      return {
        text: size > maxBytes ? whole : whole + decoder.end(),
        bytes: bytes.length,
        truncated: size > maxBytes,
      };
    })) ?? emptyHead
  );
}

async function withRegularFile<Result>(
  path: string,
  read: (file: FileHandle) => Promise<Result>,
): Promise<Result | undefined> {
  const file = await openRegularFile(path).catch((error: unknown) => {
    // The owner of a file may remove its read permission.
    if (codeOf(error) === 'EACCES') return undefined;
    throw error;
  });
  try {
    return file && (await read(file));
  } finally {
    await file?.close();
  }
}

/** Parses a JSON text; undefined when it is not valid JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the status of a path, links followed; undefined when the path does not exist. */
export async function statIfExists(path: string): Promise<Stats | undefined> {
  return stat(path).catch(undefinedIfMissing);
}

/** Tells whether an error means that a path does not exist. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
}

/** Turns the error of a missing path into undefined and rethrows every other error. For `catch`. */
export function undefinedIfMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
  return undefined;
}
