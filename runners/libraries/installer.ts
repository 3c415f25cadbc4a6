/** Installs libraries of clusters with tools of the machine: pip, mvn or coursier, and R; copies files. */
import type { Clock } from '../../engine/clock.ts';
import {
  checkPackage,
  libraryKind,
  type LibraryFailure,
  type LibraryKind,
  type LibraryPaths,
} from '../../engine/cluster/libraries.ts';
import { codeOf, messageOf, ServiceError } from '../../engine/errors.ts';
import type { Library } from '../../engine/job/cluster.ts';
import type {
  ClusterEnvironment,
  PinnedLibrary,
  InstallRequest,
  InstallOutcome,
  LibraryInstaller,
} from '../../engine/ports/libraries.ts';
import { createWakeSignal } from '../wake-signal.ts';
import { findInterpreter } from '../process/task-environment.ts';
import { killMarkedProcesses } from '../process/process-group.ts';
import type { Isolation } from '../process/isolation.ts';
import { touchEntry } from './library-cache.ts';
import {
  InstallError,
  pinLibrary,
  InstallStopped,
  type LocateLibrary,
  type InstallTools,
} from './pin-library.ts';
import { installMavenPackages } from './maven-packages.ts';
import { installPythonPackages } from './python-packages.ts';
import { installRPackages } from './r-packages.ts';

export interface InstallerOptions {
  /** The directory of the cache. */
  readonly directory: string;
  /** Environment of the installers. */
  readonly environment: Readonly<Record<string, string>>;
  readonly locate: LocateLibrary;
  readonly isolation: Isolation;
  readonly stopGraceMs: number;
  readonly clock: Clock;
}

export function createLibraryInstaller(ports: InstallerOptions): LibraryInstaller {
  return {
    async install(order, signal) {
      const tools = createInstallTools(ports, order, signal);
      try {
        return await installLibraries(tools, order);
      } catch (error) {
        if (error instanceof InstallStopped) return { kind: 'stopped' };
        throw error;
      }
    },
    stopInstallers: (directory) => killMarkedProcesses(directory, createWakeSignal()),
    async touchCached({ classPath, pythonPath, rPath = [] }) {
      for (const path of [...classPath, ...pythonPath, ...rPath])
        if (!(await touchEntry(path, ports.clock.now()))) return false;
      return true;
    },
  };
}

const missingToolMessages = {
  python3: 'python3 was not found on this machine. Install Python 3.8 or newer',
  mvn: 'Neither mvn nor coursier (cs) was found on this machine. Install Maven (for example "apt-get install maven")',
  Rscript: 'Rscript was not found on this machine. Install R (for example "apt-get install r-base")',
} as const;

function createInstallTools(
  { directory: root, environment, locate, isolation, stopGraceMs, clock }: InstallerOptions,
  order: InstallRequest,
  signal: AbortSignal,
): InstallTools {
  const ofCluster = Object.fromEntries(
    Object.entries(order.environment).filter(([name]) => name === 'PATH' || name.startsWith('PIP_')),
  );
  const whole = { ...environment, ...ofCluster };
  return {
    build: {
      root,
      environment: whole,
      clusterVariables: ofCluster,
      isolation,
      markerDirectory: order.directory,
      stopGraceMs,
      now: clock.now,
      signal,
    },
    locate,
    findProgram: (name) => findInterpreter(name, whole, isolation),
    async requireProgram(name) {
      const path = await findInterpreter(name, whole, isolation);
      if (path === undefined) throw new InstallError(`${missingToolMessages[name]} and start the run again.`);
      return path;
    },
  };
}

async function installLibraries(
  box: InstallTools,
  { wanted, current, onProgress }: InstallRequest,
): Promise<InstallOutcome> {
  await onProgress(wanted, 'RESOLVING');
  const fixed: PinnedLibrary[] = [];
  const failures: LibraryFailure[] = [];
  for (const library of wanted) {
    const one = await tryInstall(library, async () => {
      checkPackage(library);
      return pinLibrary(box, library);
    });
    if ('message' in one) failures.push(one);
    else fixed.push(one.value);
  }
  if (failures.length > 0) return { kind: 'failed', failures };
  await onProgress(wanted, 'INSTALLING');
  const made: (readonly [LibraryGroup, InstalledFolders])[] = [];
  for (const group of libraryGroups) {
    const done = await installGroup(box, group, fixed, current);
    if ('failures' in done) failures.push(...done.failures);
    else made.push([group, done.folders]);
  }
  if (failures.length > 0) return { kind: 'failed', failures };
  return {
    kind: 'installed',
    environment: { installed: [...current.installed, ...fixed], paths: mergePaths(made) },
  };
}

type InstalledFolders = Partial<LibraryPaths>;

/** Libraries that one tool installs together, so that their versions are compatible. */
interface LibraryGroup {
  readonly kinds: readonly LibraryKind[];
  readonly install: (
    box: InstallTools,
    libraries: readonly PinnedLibrary[],
    present: ClusterEnvironment,
  ) => Promise<InstalledFolders>;
}

const libraryGroups: readonly LibraryGroup[] = [
  {
    kinds: ['jar'],
    install: async (_box, libraries) => ({ classPath: libraries.flatMap(({ files }) => files) }),
  },
  {
    kinds: ['maven'],
    install: async (box, libraries) => ({
      classPath: await installMavenPackages(
        box,
        libraries.flatMap(({ library }) => library.maven ?? []),
      ),
    }),
  },
  {
    kinds: ['whl', 'pypi'],
    async install(box, libraries, present) {
      const had = present.installed.some(
        ({ library }) => library.whl !== undefined || library.pypi !== undefined,
      );
      const { folder, binFolder } = await installPythonPackages(
        box,
        libraries,
        had ? present.paths.pythonPath[0] : undefined,
      );
      return { pythonPath: [folder], binPath: binFolder === undefined ? [] : [binFolder] };
    },
  },
  {
    kinds: ['egg'],
    install: async (_box, libraries) => ({ pythonPath: libraries.flatMap(({ files }) => files) }),
  },
  {
    kinds: ['cran'],
    install: async (box, libraries) => ({
      rPath: [
        await installRPackages(
          box,
          libraries.flatMap(({ library }) => library.cran ?? []),
        ),
      ],
    }),
  },
];

type GroupResult = { readonly folders: InstalledFolders } | { readonly failures: readonly LibraryFailure[] };

async function installGroup(
  box: InstallTools,
  group: LibraryGroup,
  fixed: readonly PinnedLibrary[],
  present: ClusterEnvironment,
): Promise<GroupResult> {
  const ofGroup = (libraries: readonly PinnedLibrary[]): PinnedLibrary[] =>
    libraries.filter(({ library }) => group.kinds.includes(libraryKind(library)));
  const [before, added] = [ofGroup(present.installed), ofGroup(fixed)];
  const all = [...before, ...added];
  const [first] = all;
  if (first === undefined) return { folders: {} };
  const together = await tryInstall(first.library, () => group.install(box, all, present));
  if (!('message' in together)) return { folders: together.value };
  return { failures: await findFailingLibraries(box, group, { before, added, message: together.message }) };
}

/** Returns the added libraries that fail alone, or all of them if only their combination fails. */
async function findFailingLibraries(
  box: InstallTools,
  group: LibraryGroup,
  {
    before,
    added,
    message,
  }: {
    readonly before: readonly PinnedLibrary[];
    readonly added: readonly PinnedLibrary[];
    readonly message: string;
  },
): Promise<LibraryFailure[]> {
  if (before.length === 0 && added.length === 1) return added.map(({ library }) => ({ library, message }));
  const failures: LibraryFailure[] = [];
  for (const one of added) {
    const alone = await tryInstall(one.library, () =>
      group.install(box, [one], { installed: [], paths: { classPath: [], pythonPath: [], binPath: [] } }),
    );
    if ('message' in alone) failures.push(alone);
  }
  if (failures.length > 0) return failures;
  const others =
    before.length > 0
      ? 'is incompatible with the libraries of the cluster'
      : 'is incompatible with the other libraries';
  return added.map(({ library }) => ({ library, message: `${others}: ${message}` }));
}

/** Returns the result of `work`, or the reason why this library fails. Rethrows other errors. */
async function tryInstall<Value>(
  library: Library,
  work: () => Promise<Value>,
): Promise<{ readonly value: Value } | LibraryFailure> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof InstallError || error instanceof ServiceError)
      return { library, message: messageOf(error) };
    if (codeOf(error) === 'EACCES')
      return { library, message: 'the service has no permission to read the file.' };
    throw error;
  }
}

function mergePaths(made: readonly (readonly [LibraryGroup, InstalledFolders])[]): LibraryPaths {
  const all = (part: 'classPath' | 'pythonPath' | 'binPath' | 'rPath'): string[] =>
    made.flatMap(([, folders]) => folders[part] ?? []);
  const rPath = all('rPath');
  return {
    classPath: all('classPath'),
    pythonPath: all('pythonPath'),
    binPath: all('binPath'),
    ...(rPath.length > 0 && { rPath }),
  };
}
