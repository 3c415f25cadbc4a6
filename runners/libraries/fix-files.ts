/** Libraries that are files: found, checked, and taken into the cache as they are now. */
import { basename, join } from 'node:path';
import { libraryKind } from '../../engine/cluster/libraries.ts';
import { canonicalUri } from '../../engine/validation/aliases.ts';
import type { Library } from '../../engine/job/cluster.ts';
import type { PinnedLibrary } from '../../engine/ports/libraries.ts';
import { statIfExists } from '../../engine/read-file.ts';
import { filesBelow, keepFile, keepFolder, keyOf } from './cache.ts';
import { isZip } from './last-words.ts';
import { makeOnce, type Workshop } from './make-once.ts';

/** The absolute path of a file or folder that a library names. @throws ServiceError fit for a run's state */
export type LocateLibrary = (uri: string) => Promise<string>;

/** The tools of a machine. */
export interface Toolbox {
  readonly shop: Workshop;
  readonly locate: LocateLibrary;
  /** The path of a program of this machine, if it has it. */
  readonly find: (name: string) => Promise<string | undefined>;
  /** The path of a program. @throws CannotInstall that says what to install */
  readonly program: (name: 'python3' | 'mvn' | 'Rscript') => Promise<string>;
}

/** A library cannot be installed; the message says why. */
export class CannotInstall extends Error {}

/** The installation was stopped: nobody waits for it any more. */
export class Stopped extends Error {}

/** A library as it is from now on. @throws CannotInstall, Stopped, ServiceError */
export async function fixLibrary(tools: Toolbox, library: Library): Promise<PinnedLibrary> {
  const kind = libraryKind(library);
  switch (kind) {
    case 'jar':
      return { library, files: [await fixArchive(tools, library.jar ?? '', 'JAR')] };
    case 'egg':
      return { library, files: [await fixEgg(tools, library.egg ?? '')] };
    case 'whl':
      return { library, files: await fixWheels(tools, library.whl ?? '') };
    case 'pypi':
    case 'maven':
    case 'cran':
      return { library, files: [] };
    default:
      return kind satisfies never;
  }
}

async function fixArchive({ locate, shop }: Toolbox, uri: string, what: string): Promise<string> {
  const file = await locate(uri);
  if ((await statIfExists(file))?.isDirectory() === true)
    throw new CannotInstall('it is a directory; a file is needed here.');
  if (!(await isZip(file)))
    throw new CannotInstall(`the file is no ${what}: it does not begin as a zip archive does.`);
  return keepFile(shop.root, file, basename(canonicalUri(uri)), shop.now());
}

/** Unpacked in any case, so that what lies beside its modules is found, too. */
async function fixEgg(tools: Toolbox, uri: string): Promise<string> {
  const place = await tools.locate(uri);
  const isFolder = (await statIfExists(place))?.isDirectory() === true;
  const folder = isFolder
    ? await keepFolder(tools.shop.root, place, tools.shop.now())
    : await unpack(tools, await fixArchive(tools, uri, 'egg'));
  if ((await statIfExists(join(folder, 'EGG-INFO')))?.isDirectory() !== true)
    throw new CannotInstall('it is no egg: it holds no EGG-INFO.');
  return folder;
}

async function fixWheels(tools: Toolbox, uri: string): Promise<string[]> {
  const file = await fixArchive(tools, uri, uri.endsWith('.whl') ? 'wheel' : 'wheelhouse');
  if (file.endsWith('.whl')) return [file];
  const wheels = (await filesBelow(await unpack(tools, file)))
    .filter((path) => path.endsWith('.whl'))
    .toSorted();
  if (wheels.length === 0) throw new CannotInstall('the archive holds no wheel.');
  return wheels;
}

/** The folder in the cache with what a zip archive of the cache holds. */
async function unpack({ shop, program }: Toolbox, archive: string): Promise<string> {
  const python = await program('python3');
  const made = await makeOnce(shop, {
    part: 'unpacked',
    key: keyOf('zip', archive.slice(shop.root.length)),
    command: async (draft) => [python, '-m', 'zipfile', '-e', archive, draft],
  });
  return entryIn(made);
}

/** The entry that was made. @throws CannotInstall, Stopped when there is none */
export function entryIn(made: Awaited<ReturnType<typeof makeOnce>>): string {
  if (made.kind === 'made') return made.entry;
  if (made.kind === 'stopped') throw new Stopped();
  throw new CannotInstall(made.message);
}
