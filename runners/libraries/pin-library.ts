/** Libraries that are files: found, checked, and taken into the cache as they are now. */
import { basename, join } from 'node:path';
import { libraryKind } from '../../engine/cluster/libraries.ts';
import { canonicalUri } from '../../engine/validation/aliases.ts';
import type { Library } from '../../engine/job/cluster.ts';
import type { PinnedLibrary } from '../../engine/ports/libraries.ts';
import { statIfExists } from '../../engine/read-file.ts';
import { listFilesBelow, cacheFile, cacheFolder, cacheKeyOf } from './library-cache.ts';
import { isZip } from './install-errors.ts';
import { buildOnce, type BuildContext } from './build-once.ts';

/** The absolute path of a file or folder that a library names. @throws ServiceError fit for a run's state */
export type LocateLibrary = (uri: string) => Promise<string>;

/** The tools of a machine. */
export interface InstallTools {
  readonly build: BuildContext;
  readonly locate: LocateLibrary;
  /** The path of a program of this machine, if it has it. */
  readonly findProgram: (name: string) => Promise<string | undefined>;
  /** The path of a program. @throws InstallError that says what to install */
  readonly requireProgram: (name: 'python3' | 'mvn' | 'Rscript') => Promise<string>;
}

/** A library cannot be installed; the message says why. */
export class InstallError extends Error {}

/** The installation was stopped: nobody waits for it any more. */
export class InstallStopped extends Error {}

/** A library as it is from now on. @throws InstallError, Stopped, ServiceError */
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
    throw new InstallError('it is a directory; a file is needed here.');
  if (!(await isZip(file)))
    throw new InstallError(`the file is no ${what}: it does not begin as a zip archive does.`);
  return cacheFile(build.root, file, basename(canonicalUri(uri)), build.now());
}

/** Unpacked in any case, so that what lies beside its modules is found, too. */
async function pinEgg(tools: InstallTools, uri: string): Promise<string> {
  const place = await tools.locate(uri);
  const isFolder = (await statIfExists(place))?.isDirectory() === true;
  const folder = isFolder
    ? await cacheFolder(tools.build.root, place, tools.build.now())
    : await unpack(tools, await pinArchive(tools, uri, 'egg'));
  if ((await statIfExists(join(folder, 'EGG-INFO')))?.isDirectory() !== true)
    throw new InstallError('it is no egg: it holds no EGG-INFO.');
  return folder;
}

async function pinWheels(tools: InstallTools, uri: string): Promise<string[]> {
  const file = await pinArchive(tools, uri, uri.endsWith('.whl') ? 'wheel' : 'wheelhouse');
  if (file.endsWith('.whl')) return [file];
  const wheels = (await listFilesBelow(await unpack(tools, file)))
    .filter((path) => path.endsWith('.whl'))
    .toSorted();
  if (wheels.length === 0) throw new InstallError('the archive holds no wheel.');
  return wheels;
}

/** The folder in the cache with what a zip archive of the cache holds. */
async function unpack({ build, requireProgram }: InstallTools, archive: string): Promise<string> {
  const python = await requireProgram('python3');
  const made = await buildOnce(build, {
    section: 'unpacked',
    key: cacheKeyOf('zip', archive.slice(build.root.length)),
    command: async (draft) => [python, '-m', 'zipfile', '-e', archive, draft],
  });
  return requireEntry(made);
}

/** The entry that was made. @throws InstallError, Stopped when there is none */
export function requireEntry(made: Awaited<ReturnType<typeof buildOnce>>): string {
  if (made.kind === 'made') return made.entry;
  if (made.kind === 'stopped') throw new InstallStopped();
  throw new InstallError(made.message);
}
