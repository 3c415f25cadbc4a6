/**
 * Reading files of this machine without being held up or led astray by what somebody else has made of them
 * meanwhile.
 */
import { constants, type Stats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { codeOf } from './errors.ts';

/**
 * Opens a regular file for reading; undefined for anything else. Follows no link in the last place. The
 * caller closes it.
 */
export async function openRegularFile(path: string): Promise<FileHandle | undefined> {
  let file;
  try {
    // Without O_NONBLOCK a named pipe would hold the call until somebody writes to it.
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

/** The bytes of an open file from `offset` on: at most `length`, and none beyond its present end. */
export async function readRange(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { size } = await file.stat();
  const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - offset)));
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, offset + filled);
    // The file was cut while it was read.
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** The beginning of a file. */
export interface FileHead {
  readonly text: string;
  /** Bytes that were read. */
  readonly bytes: number;
  readonly truncated: boolean;
}

const emptyHead: FileHead = { text: '', bytes: 0, truncated: false };

/**
 * The beginning of a file as text, of at most `most` bytes. What is no regular file, or may not be read, is
 * empty.
 */
export async function readHead(path: string, most: number): Promise<FileHead> {
  return (
    (await withRegularFile(path, async (file) => {
      const { size } = await file.stat();
      const bytes = await readRange(file, 0, most);
      const decoder = new StringDecoder('utf8');
      const whole = decoder.write(bytes);
      // A character that the limit cuts is left out; one that the file itself breaks off is replaced.
      return {
        text: size > most ? whole : whole + decoder.end(),
        bytes: bytes.length,
        truncated: size > most,
      };
    })) ?? emptyHead
  );
}

async function withRegularFile<Result>(
  path: string,
  read: (file: FileHandle) => Promise<Result>,
): Promise<Result | undefined> {
  const file = await openRegularFile(path).catch((error: unknown) => {
    // Whoever owns a file may take everybody's permissions on it.
    if (codeOf(error) === 'EACCES') return undefined;
    throw error;
  });
  try {
    return file && (await read(file));
  } finally {
    await file?.close();
  }
}

/** The value that a JSON text stands for; undefined when it is none. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is known of a path, links followed; undefined when it leads to nothing. */
export async function statIfExists(path: string): Promise<Stats | undefined> {
  return stat(path).catch(undefinedIfMissing);
}

/** Whether an error says that a path leads to nothing. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
}

/** For `catch`: nothing there is an answer, every other error stays one. */
export function undefinedIfMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
  return undefined;
}
