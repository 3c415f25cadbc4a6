/**
 * Storage of a pipeline on disk. A version is a directory with a manifest and the Parquet files of all
 * tables. One rename publishes it. `current` is a link to the newest version, for readers.
 */
import { copyFile, link, mkdir, open, readdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Check } from 'typebox/value';
import { codeOf, invalid } from '../../engine/errors.ts';
import { tryParseJson, undefinedIfMissing, readHead } from '../../engine/read-file.ts';
import { Manifest } from '../../engine/pipeline/manifest.ts';

const draftPrefix = '.draft-';
/** Number of previous versions that are kept for active readers. */
const previousVersionsKept = 1;
const manifestBytesMax = 256 * 2 ** 20;

export interface Version {
  readonly manifest: Manifest;
  /** Local path. */
  readonly directory: string;
}

/**
 * Returns the newest version; undefined when none is published.
 * @throws ServiceError when its manifest cannot be read
 */
export async function newestVersion(storage: string): Promise<Version | undefined> {
  const newest = Math.max(0, ...(await versionNumbers(storage)));
  if (newest === 0) return undefined;
  const directory = join(storage, 'versions', String(newest));
  const manifest = tryParseJson((await readHead(join(directory, 'manifest.json'), manifestBytesMax)).text);
  if (!Check(Manifest, manifest))
    throw invalid(
      `The manifest of version ${newest} of the pipeline cannot be read: versions/${newest}/manifest.json in its storage was changed or damaged.`,
    );
  return { manifest, directory };
}

async function versionNumbers(storage: string): Promise<number[]> {
  const names = (await readdir(join(storage, 'versions')).catch(undefinedIfMissing)) ?? [];
  return names.filter((name) => /^[1-9]\d*$/.test(name)).map(Number);
}

/** Creates the directory of a draft, and removes leftovers of killed updates. */
export async function createDraft(storage: string, updateId: string): Promise<string> {
  const versions = join(storage, 'versions');
  await mkdir(versions, { recursive: true, mode: 0o700 });
  for (const name of await readdir(versions))
    if (name.startsWith(draftPrefix)) await rm(join(versions, name), { recursive: true, force: true });
  for (const name of await readdir(storage))
    if (name.startsWith('.current-')) await rm(join(storage, name), { force: true });
  const draft = join(versions, draftPrefix + updateId);
  await mkdir(draft, { mode: 0o700 });
  return draft;
}

/** Adds a file of the previous version to a draft, by a hard link where the file system supports it. */
export async function linkPart(from: string, to: string): Promise<void> {
  await link(from, to).catch(async (error: unknown) => {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'].includes(codeOf(error) ?? '')) throw error;
    await copyFile(from, to);
  });
}

/**
 * Publishes a draft with one rename, which is atomic.
 * @throws ServiceError when another update has published meanwhile
 */
export async function publishVersion(storage: string, draft: string, manifest: Manifest): Promise<void> {
  await writeDurably(join(draft, 'manifest.json'), JSON.stringify(manifest));
  await syncDirectory(draft);
  const versions = join(storage, 'versions');
  try {
    await rename(draft, join(versions, String(manifest.version)));
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) throw error;
    throw invalid(
      `Version ${manifest.version} was published by another update in the meantime; this update changed nothing.`,
    );
  }
  await syncDirectory(versions);
  await finishPublish(storage);
}

/**
 * Updates the link `current` and removes old versions, after the rename that publishes a version. Another
 * update may do the same or publish a newer version at the same time.
 */
export async function finishPublish(storage: string): Promise<void> {
  let numbers = await versionNumbers(storage);
  let newest = 0;
  while (Math.max(0, ...numbers) > newest) {
    newest = Math.max(...numbers);
    await linkCurrent(storage, newest);
    numbers = await versionNumbers(storage);
  }
  for (const number of numbers.filter((each) => each < newest - previousVersionsKept)) {
    await rm(join(storage, 'versions', String(number)), { recursive: true, force: true });
  }
}

async function linkCurrent(storage: string, version: number): Promise<void> {
  const fresh = join(storage, `.current-${version}`);
  // Concurrent calls for one version create the same link, so one of them can rename it for all.
  await symlink(join('versions', String(version)), fresh).catch(ignoreCode('EEXIST'));
  await rename(fresh, join(storage, 'current')).catch(ignoreCode('ENOENT'));
}

function ignoreCode(code: string): (error: unknown) => void {
  return (error) => {
    if (codeOf(error) !== code) throw error;
  };
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Flushes a file written by DuckDB to disk. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  await file.sync().finally(() => file.close());
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  await directory.sync().finally(() => directory.close());
}
