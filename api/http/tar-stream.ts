/** Files that are made while they are sent, as one tar stream. */
import { Header } from 'tar';
import { toDate } from '../../engine/clock.ts';

/** A file of the archive. */
export interface ArchivedFile {
  /** Relative, of plain names. */
  readonly path: string;
  /**
   * Bytes that are announced: content that turns out longer is cut, shorter content is filled with line ends.
   */
  readonly size: number;
  /** Epoch ms. */
  readonly modifiedTime: number;
  content(): AsyncIterable<Buffer> | Iterable<Buffer>;
}

const blockBytes = 512;

/** The archive, piece by piece: no more of it is held than one piece of a file. */
export async function* createTarStream(files: AsyncIterable<ArchivedFile>): AsyncGenerator<Buffer> {
  for await (const file of files) {
    yield tarHeaderOf(file);
    let left = file.size;
    for await (const piece of file.content()) {
      if (left === 0) break;
      const kept = piece.length > left ? piece.subarray(0, left) : piece;
      left -= kept.length;
      yield kept;
    }
    for (; left > 0; left -= Math.min(left, blockBytes)) yield Buffer.alloc(Math.min(left, blockBytes), '\n');
    const over = file.size % blockBytes;
    if (over > 0) yield Buffer.alloc(blockBytes - over);
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
  if (header.encode() || header.block === undefined)
    throw new Error(`${path} does not fit into the header of an archive.`);
  return header.block;
}

/** A file whose text is there already. */
export function createTextFile(path: string, text: string, modified: number): ArchivedFile {
  const bytes = Buffer.from(text, 'utf8');
  return { path, size: bytes.length, modifiedTime: modified, content: () => [bytes] };
}
