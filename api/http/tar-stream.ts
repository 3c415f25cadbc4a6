/** Tar archive of files that are produced while it is sent. */
import { Header } from 'tar';
import { toDate } from '../../engine/clock.ts';

/** File of the archive. */
export interface ArchivedFile {
  /** Relative path of plain names. */
  readonly path: string;
  /** Announced size in bytes: longer content is cut, shorter content is padded with newlines. */
  readonly size: number;
  /** Epoch milliseconds. */
  readonly modifiedTime: number;
  content(): AsyncIterable<Buffer> | Iterable<Buffer>;
}

const blockBytes = 512;

/** Yields the archive in chunks; at most one chunk of a file is in memory. */
export async function* createTarStream(files: AsyncIterable<ArchivedFile>): AsyncGenerator<Buffer> {
  for await (const file of files) {
    yield tarHeaderOf(file);
    let remaining = file.size;
    for await (const chunk of file.content()) {
      if (remaining === 0) break;
      const data = chunk.length > remaining ? chunk.subarray(0, remaining) : chunk;
      remaining -= data.length;
      yield data;
    }
    for (; remaining > 0; remaining -= Math.min(remaining, blockBytes))
      yield Buffer.alloc(Math.min(remaining, blockBytes), '\n');
    const partial = file.size % blockBytes;
    if (partial > 0) yield Buffer.alloc(blockBytes - partial);
  }
  yield Buffer.alloc(2 * blockBytes);
}

function tarHeaderOf({ path, size, modifiedTime }: ArchivedFile): Buffer {
  const header = new Header({
    path,
    size,
    mode: 0o600,
    type: 'File',
    mtime: toDate(modifiedTime),
    uid: 0,
    gid: 0,
    uname: '',
    gname: '',
  });
  if (header.encode() || header.block === undefined) throw new Error(`${path} is too long for a tar header.`);
  return header.block;
}

/** Returns a file of known text. */
export function createTextFile(path: string, text: string, modified: number): ArchivedFile {
  const bytes = Buffer.from(text, 'utf8');
  return { path, size: bytes.length, modifiedTime: modified, content: () => [bytes] };
}
