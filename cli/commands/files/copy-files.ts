/** `runyard files ls|cp|cat|rm|mkdir|mv`: the files of jobs. */
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, posix, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { codeOf, messageOf } from '../../../engine/errors.ts';
import { canonicalUri } from '../../../engine/validation/aliases.ts';
import { confirm } from '../../client/confirm.ts';
import { formatBytes, formatTime } from '../../output/format-values.ts';
import { printRows, type OutputOptions } from '../../output/print-result.ts';
import { createProgressBar, type ProgressBar } from '../../output/progress-bar.ts';
import { CommandError } from '../../start-error.ts';
import { printDiagnostic } from '../print-line.ts';
import {
  getStatus,
  listFolder,
  listTree,
  makeFolder,
  moveRemote,
  readRemoteFile,
  removeRemote,
  upload,
} from './remote-files.ts';

const scheme = 'managed_fs:';

/** Returns the path in managed_fs, of any spelling with a scheme; undefined for a local path. */
function remotePathOf(path: string): string | undefined {
  const uri = canonicalUri(path);
  return uri.startsWith(scheme) ? uri.slice(scheme.length) : undefined;
}

/** Returns the path in managed_fs, also of a path without a scheme. @throws CommandError for a relative one */
function requireRemote(path: string): string {
  const remote = remotePathOf(path) ?? path;
  if (remote.startsWith('/')) return remote;
  throw new CommandError(`The path is ${path}; it must be absolute, as in managed_fs:/data/a.csv.`, {
    usage: true,
  });
}

/** Prints the entries of a folder. Resolves with the exit code. @throws CommandError */
export async function listFiles(path: string, options: OutputOptions): Promise<number> {
  printRows(
    await listFolder(requireRemote(path)),
    [
      { title: 'MODIFIED', value: (one) => formatTime(one.modification_time) },
      { title: 'SIZE', value: (one) => (one.is_dir ? '-' : formatBytes(one.file_size)) },
      { title: 'NAME', value: (one) => `${posix.basename(one.path)}${one.is_dir ? '/' : ''}` },
    ],
    options,
    'The folder is empty.',
  );
  return 0;
}

/** Prints the bytes of a file. Resolves with the exit code. @throws CommandError */
export async function printFile(path: string): Promise<number> {
  await pipeline(Readable.from(readRemoteFile(requireRemote(path))), process.stdout, { end: false });
  return 0;
}

/** Removes a file or a folder. Resolves with the exit code. @throws CommandError */
export async function removeFiles(
  path: string,
  { recursive, yes }: { readonly recursive?: true; readonly yes?: true },
): Promise<number> {
  const remote = requireRemote(path);
  const { is_dir: isFolder } = await getStatus(remote);
  if (isFolder && recursive !== true)
    throw new CommandError(`${remote} is a folder: add --recursive to remove it with its files.`);
  if (isFolder && !(await confirm(`Remove ${remote} with all its files?`, yes))) return 1;
  await removeRemote(remote, isFolder);
  return 0;
}

export async function makeRemoteFolder(path: string): Promise<number> {
  await makeFolder(requireRemote(path));
  return 0;
}

export async function moveFiles(from: string, to: string): Promise<number> {
  await moveRemote(requireRemote(from), requireRemote(to));
  return 0;
}

export interface CopyOptions {
  readonly recursive?: true;
}

interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly bytes: number;
}

/**
 * Copies between this machine and managed_fs; one side has the scheme managed_fs:. An existing file is replaced.
 * Resolves with the exit code. @throws CommandError
 */
export async function copyFiles(from: string, to: string, { recursive }: CopyOptions): Promise<number> {
  const [source, target] = [remotePathOf(from), remotePathOf(to)];
  if ((source === undefined) === (target === undefined))
    throw new CommandError(
      `cp copies between this machine and managed_fs: one of ${from} and ${to} must begin with managed_fs:.`,
      { usage: true },
    );
  const transfers =
    target === undefined
      ? await planDownload(source ?? '', to, recursive === true)
      : await planUpload(from, target, recursive === true);
  const bar = createProgressBar(transfers.reduce((sum, { bytes }) => sum + bytes, 0));
  try {
    for (const transfer of transfers)
      await (target === undefined ? download(transfer, bar) : upload(transfer.from, transfer.to, bar.add));
  } finally {
    bar.stop();
  }
  printDiagnostic(`Copied ${transfers.length === 1 ? '1 file' : `${transfers.length} files`}.`);
  return 0;
}

async function planUpload(from: string, target: string, recursive: boolean): Promise<Transfer[]> {
  const status = await stat(from).catch((error: unknown) => {
    throw new CommandError(`${from} cannot be read: ${messageOf(error)}.`);
  });
  if (!status.isDirectory()) {
    const to =
      target.endsWith('/') || (await isRemoteFolder(target)) ? posix.join(target, basename(from)) : target;
    return [{ from, to, bytes: status.size }];
  }
  if (!recursive) throw new CommandError(`${from} is a folder: add --recursive to copy it with its files.`);
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const local = join(entry.parentPath, entry.name);
        const relative = local.slice(join(from).length).split(sep).join('/');
        return { from: local, to: posix.join(target, relative), bytes: (await stat(local)).size };
      }),
  );
}

async function isRemoteFolder(path: string): Promise<boolean> {
  return getStatus(path).then(
    (status) => status.is_dir,
    () => false,
  );
}

async function planDownload(source: string, to: string, recursive: boolean): Promise<Transfer[]> {
  const { is_dir: isFolder, path, file_size: bytes } = await getStatus(source);
  if (!isFolder) {
    const isInto = to.endsWith('/') || (await stat(to).catch(() => undefined))?.isDirectory() === true;
    return [{ from: path, to: isInto ? join(to, posix.basename(path)) : to, bytes }];
  }
  if (!recursive) throw new CommandError(`${source} is a folder: add --recursive to copy it with its files.`);
  return (await listTree(path)).map((file) => {
    const target = join(to, ...file.path.slice(path.length).split('/'));
    if (!`${target}/`.startsWith(`${join(to)}/`) && join(to) !== '.')
      throw new CommandError(`${file.path} would be written outside of ${to}.`);
    return { from: file.path, to: target, bytes: file.file_size };
  });
}

/** Writes a file next to its place and then moves it there. */
async function download({ from, to }: Transfer, bar: ProgressBar): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  const draft = `${to}.${process.pid}.part`;
  try {
    await pipeline(readRemoteFile(from), countBytes(bar), createWriteStream(draft));
    await rename(draft, to);
  } catch (error) {
    await rm(draft, { force: true });
    if (codeOf(error) === undefined) throw error;
    throw new CommandError(`${to} cannot be written: ${messageOf(error)}.`);
  }
}

function countBytes(bar: ProgressBar) {
  return async function* count(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const block of source) {
      bar.add(block.length);
      yield block;
    }
  };
}
