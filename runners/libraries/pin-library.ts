/** Pins libraries that are files: locates, validates, and copies them into the cache. */
import { basename, join } from 'node:path';
import { libraryKind } from '../../engine/cluster/libraries.ts';
import { canonicalUri } from '../../engine/validation/aliases.ts';
import type { Library } from '../../engine/job/cluster.ts';
import type { PinnedLibrary } from '../../engine/ports/libraries.ts';
import { statIfExists } from '../../engine/read-file.ts';
import { listFilesBelow, cacheFile, cacheFolder, cacheKeyOf } from './library-cache.ts';
import { isZip } from './install-errors.ts';
import { buildOnce, type BuildContext } from './build-once.ts';

/** Returns the absolute path of a file or folder of a library. @throws ServiceError */
export type LocateLibrary = (uri: string) => Promise<string>;

/** The tools of a machine. */
export interface InstallTools {
  readonly build: BuildContext;
  readonly locate: LocateLibrary;
  /** Returns the path of a program, if it is installed. */
  readonly findProgram: (name: string) => Promise<string | undefined>;
  /** Returns the path of a program. @throws InstallError that says what to install */
  readonly requireProgram: (name: 'python3' | 'mvn' | 'Rscript') => Promise<string>;
}

/** Error of a library that cannot be installed. The message is the reason. */
export class InstallError extends Error {}

/** The installation was stopped. */
export class InstallStopped extends Error {}

/** Pins a library to its current files. @throws InstallError, InstallStopped, ServiceError */
export async function pinLibrary(tools: InstallTools, library: Library): Promise<PinnedLibrary> {
  const kind = libraryKind(library);
  switch (kind) {
    case 'jar':
      return { library, files: [await pinArchive(tools, library.jar ?? '', 'JAR')] };
    case 'egg':
      return { library, files: [await pinEgg(tools, library.egg ?? '')] };
    case 'whl':
      return { library, files: await pinWheels(tools, library.whl ?? '') };
    case 'pypi':
    case 'maven':
    case 'cran':
      return { library, files: [] };
    default:
      return kind satisfies never;
  }
}

async function pinArchive({ locate, build }: InstallTools, uri: string, what: string): Promise<string> {
  const file = await locate(uri);
  if ((await statIfExists(file))?.isDirectory() === true)
    throw new InstallError('it is a directory; it must be a file.');
  if (!(await isZip(file))) throw new InstallError(`not a valid ${what}: not a zip archive.`);
  return cacheFile(build.root, file, basename(canonicalUri(uri)), build.now());
}

/** Unpacks an egg, so that data files beside its modules are found. */
async function pinEgg(tools: InstallTools, uri: string): Promise<string> {
  const place = await tools.locate(uri);
  const isFolder = (await statIfExists(place))?.isDirectory() === true;
  const folder = isFolder
    ? await cacheFolder(tools.build.root, place, tools.build.now())
    : await unpack(tools, await pinArchive(tools, uri, 'egg'));
  if ((await statIfExists(join(folder, 'EGG-INFO')))?.isDirectory() !== true)
    throw new InstallError('not a valid egg: EGG-INFO is missing.');
  return folder;
}

async function pinWheels(tools: InstallTools, uri: string): Promise<string[]> {
  const file = await pinArchive(tools, uri, uri.endsWith('.whl') ? 'wheel' : 'wheelhouse');
  if (file.endsWith('.whl')) return [file];
  const wheels = (await listFilesBelow(await unpack(tools, file)))
    .filter((path) => path.endsWith('.whl'))
    .toSorted();
  if (wheels.length === 0) throw new InstallError('the archive contains no wheels.');
  return wheels;
}

/** Unpacks a zip archive of the cache and returns the folder. */
async function unpack({ build, requireProgram }: InstallTools, archive: string): Promise<string> {
  const python = await requireProgram('python3');
  const made = await buildOnce(build, {
    section: 'unpacked',
    key: cacheKeyOf('zip', archive.slice(build.root.length)),
    command: async (draft) => [python, '-m', 'zipfile', '-e', archive, draft],
  });
  return requireEntry(made);
}

/** Returns the entry of a build. @throws InstallError, InstallStopped */
export function requireEntry(made: Awaited<ReturnType<typeof buildOnce>>): string {
  if (made.kind === 'made') return made.entry;
  if (made.kind === 'stopped') throw new InstallStopped();
  throw new InstallError(made.message);
}
