/**
 * Streaming uploads to managed_fs. The blocks of an upload are collected in a file outside managed_fs, which
 * takes its path when the upload is closed. Handles live in the memory of one engine.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { appendFile, mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../engine/clock.ts';
import { codeOf, fileTooLarge, ServiceError } from '../../engine/errors.ts';
import { fixedLimits } from '../../engine/limits.ts';
import type { UploadStore } from '../../engine/ports/files.ts';
import { statIfExists, undefinedIfMissing } from '../../engine/read-file.ts';
import { findEntry, placeFile } from './file-tree.ts';
import { entryExists } from './managed-files.ts';
import { resolveEntryInside, type Roots } from './roots.ts';

export interface Uploads extends UploadStore {
  /** Deletes the data that an engine left when it was killed; engines may share the directory. */
  deleteAbandoned(): Promise<void>;
  /** Ends every upload and deletes its data. */
  closeAll(): Promise<void>;
}

interface Upload {
  readonly principalId: number;
  readonly path: string;
  readonly overwrite: boolean;
  /** File with the blocks so far. */
  readonly draft: string;
  /** Epoch ms of the last block. */
  lastUsed: number;
  /** Write of the last block; blocks are written in the order of their arrival. */
  writing: Promise<void>;
  cancelExpiry: () => void;
}

type UploadRoots = Pick<Roots, 'managedFs' | 'uploads'>;

/** Largest value of `randomInt`, exclusive; every handle is an exact JSON number. */
const handlesEnd = 2 ** 48 - 1;

/** Creates the store of uploads. @param maximum number of uploads that may be open at the same time */
export function createUploads(
  roots: UploadRoots,
  clock: Clock,
  maximum: number = fixedLimits.openUploads,
): Uploads {
  return new OpenUploads(roots, clock, maximum);
}

class OpenUploads implements Uploads {
  readonly #roots: UploadRoots;
  readonly #clock: Clock;
  readonly #maximum: number;
  readonly #open = new Map<number, Upload>();

  constructor(roots: UploadRoots, clock: Clock, maximum: number) {
    this.#roots = roots;
    this.#clock = clock;
    this.#maximum = maximum;
  }

  async create(principalId: number, path: string, overwrite: boolean): Promise<number> {
    await this.#checkTarget(path, overwrite);
    if (this.#open.size >= this.#maximum)
      throw new ServiceError(
        'QUOTA_EXCEEDED',
        `There are already ${this.#open.size} open uploads (limit: ${this.#maximum}); close some with managed_fs/close.`,
      );
    let handle = randomInt(1, handlesEnd);
    while (this.#open.has(handle)) handle = randomInt(1, handlesEnd);
    const draft = join(this.#roots.uploads.directory, randomUUID());
    const upload: Upload = {
      principalId,
      path,
      overwrite,
      draft,
      lastUsed: this.#clock.now(),
      writing: createDraft(draft),
      cancelExpiry: () => undefined,
    };
    this.#open.set(handle, upload);
    this.#scheduleExpiry(handle, upload);
    await upload.writing.catch(async (error: unknown) => {
      await this.#discard(handle, upload);
      throw error;
    });
    return handle;
  }

  async write(path: string, contents: Readable, overwrite: boolean): Promise<void> {
    await this.#checkTarget(path, overwrite, 'ALREADY_EXISTS');
    const draft = join(this.#roots.uploads.directory, randomUUID());
    try {
      await createDraft(draft);
      await writeStream(draft, contents);
      if ((await placeFile(this.#roots.managedFs, draft, path, overwrite)) === 'exists')
        throw entryExists(path, 'ALREADY_EXISTS');
    } finally {
      await rm(draft, { force: true });
    }
  }

  async addBlock(principalId: number, handle: number, data: Uint8Array): Promise<void> {
    const upload = this.#find(principalId, handle);
    upload.lastUsed = this.#clock.now();
    // After a failed write the file lacks a block, so all later calls fail too.
    upload.writing = upload.writing.then(() => appendFile(upload.draft, data));
    await upload.writing;
  }

  async close(principalId: number, handle: number): Promise<void> {
    const upload = this.#find(principalId, handle);
    this.#forget(handle, upload);
    try {
      await upload.writing;
      await flush(upload.draft);
      const { path, overwrite, draft } = upload;
      if ((await placeFile(this.#roots.managedFs, draft, path, overwrite)) === 'exists')
        throw entryExists(path);
    } finally {
      await rm(upload.draft, { force: true });
    }
  }

  async deleteAbandoned(): Promise<void> {
    const { directory } = this.#roots.uploads;
    for (const name of (await readdir(directory).catch(undefinedIfMissing)) ?? []) {
      const path = join(directory, name);
      const found = await statIfExists(path);
      if (found !== undefined && found.mtimeMs < this.#clock.now() - fixedLimits.uploadIdleMs)
        await rm(path, { force: true });
    }
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open].map(([handle, upload]) => this.#discard(handle, upload)));
  }

  /** Refuses a path that is taken before any data is received. */
  async #checkTarget(path: string, overwrite: boolean, code?: 'ALREADY_EXISTS'): Promise<void> {
    await resolveEntryInside(this.#roots.managedFs, path);
    const taken = await findEntry(this.#roots.managedFs, path);
    if (taken !== undefined && (taken.kind === 'directory' || !overwrite)) throw entryExists(path, code);
  }

  #find(principalId: number, handle: number): Upload {
    const upload = this.#open.get(handle);
    if (upload !== undefined && upload.principalId === principalId) return upload;
    const minutes = fixedLimits.uploadIdleMs / 60_000;
    throw new ServiceError(
      'RESOURCE_DOES_NOT_EXIST',
      `No upload is open with the handle ${handle}. A handle ends when it is closed, ${minutes} minutes after its last ` +
        'block, and when the service stops; it is known only to the engine and the user that opened it. ' +
        'Start the upload again with managed_fs/create.',
    );
  }

  #scheduleExpiry(handle: number, upload: Upload): void {
    const expiry = upload.lastUsed + fixedLimits.uploadIdleMs;
    upload.cancelExpiry = this.#clock.runAt(expiry, () => {
      if (upload.lastUsed + fixedLimits.uploadIdleMs > expiry) this.#scheduleExpiry(handle, upload);
      else void this.#discard(handle, upload);
    });
  }

  #forget(handle: number, upload: Upload): void {
    upload.cancelExpiry();
    this.#open.delete(handle);
  }

  async #discard(handle: number, upload: Upload): Promise<void> {
    this.#forget(handle, upload);
    await upload.writing.catch(() => undefined);
    // A file that cannot be deleted now is deleted by the next start.
    await rm(upload.draft, { force: true }).catch(() => undefined);
  }
}

async function createDraft(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, '', { flag: 'wx', mode: 0o600 });
}

/** Writes a stream to a new file and through to the disk; the stream is not destroyed on failure. */
async function writeStream(path: string, contents: Readable): Promise<void> {
  const file = createWriteStream(path, { flags: 'r+', flush: true });
  await pipeline(contents.iterator({ destroyOnReturn: false }), limitBytes, file).catch((error: unknown) => {
    if (codeOf(error) !== 'ECONNRESET') throw error;
    throw new ServiceError('MALFORMED_REQUEST', 'The connection broke off before the last byte of the file.');
  });
}

async function* limitBytes(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let received = 0;
  for await (const chunk of chunks) {
    received += chunk.length;
    if (received > fixedLimits.fileUploadBytes) throw fileTooLarge(fixedLimits.fileUploadBytes);
    yield chunk;
  }
}

/** Writes a file through to the disk. */
async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
