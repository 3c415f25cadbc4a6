/**
 * Installs libraries of clusters with the machine's own tools: files are copied, Python packages go through
 * pip, Maven's through mvn, R's through R.
 */
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
import { createBell } from '../pool/bell.ts';
import { findInterpreter } from '../process/environment.ts';
import { endMarked } from '../process/process-group.ts';
import type { Isolation } from '../process/isolation.ts';
import { isKept } from './cache.ts';
import { CannotInstall, fixLibrary, Stopped, type LocateLibrary, type Toolbox } from './fix-files.ts';
import { installJava } from './java-packages.ts';
import { installPython } from './python-packages.ts';
import { installR } from './r-packages.ts';

export interface InstallerPorts {
  /** The directory of the cache. */
  readonly directory: string;
  /** What installers find of the service's environment: nothing else passes on. */
  readonly environment: Readonly<Record<string, string>>;
  readonly locate: LocateLibrary;
  readonly isolation: Isolation;
  readonly stopGraceMs: number;
  readonly clock: Clock;
}

export function createLibraryInstaller(ports: InstallerPorts): LibraryInstaller {
  return {
    async install(order, signal) {
      const tools = toolbox(ports, order, signal);
      try {
        return await install(tools, order);
      } catch (error) {
        if (error instanceof Stopped) return { kind: 'stopped' };
        throw error;
      }
    },
    stopInstallers: (directory) => endMarked(directory, createBell()),
    async touchCached({ classPath, pythonPath, rPath = [] }) {
      for (const path of [...classPath, ...pythonPath, ...rPath])
        if (!(await isKept(path, ports.clock.now()))) return false;
      return true;
    },
  };
}

const tools = {
  python3: 'python3 was not found on this machine. Install Python 3.8 or newer',
  mvn: 'mvn was not found on this machine, nor coursier (cs). Install Maven (for example "apt-get install maven")',
  Rscript: 'Rscript was not found on this machine. Install R (for example "apt-get install r-base")',
} as const;

function toolbox(
  { directory: root, environment, locate, isolation, stopGraceMs, clock }: InstallerPorts,
  order: InstallRequest,
  signal: AbortSignal,
): Toolbox {
  const ofCluster = Object.fromEntries(
    Object.entries(order.environment).filter(([name]) => name === 'PATH' || name.startsWith('PIP_')),
  );
  const whole = { ...environment, ...ofCluster };
  return {
    shop: {
      root,
      environment: whole,
      ofCluster,
      isolation,
      directory: order.directory,
      stopGraceMs,
      now: clock.now,
      signal,
    },
    locate,
    find: (name) => findInterpreter(name, whole, isolation),
    async program(name) {
      const path = await findInterpreter(name, whole, isolation);
      if (path === undefined) throw new CannotInstall(`${tools[name]} and start the run again.`);
      return path;
    },
  };
}

async function install(
  box: Toolbox,
  { wanted, current, onProgress }: InstallRequest,
): Promise<InstallOutcome> {
  await onProgress(wanted, 'RESOLVING');
  const fixed: PinnedLibrary[] = [];
  const failures: LibraryFailure[] = [];
  for (const library of wanted) {
    const one = await attempt(library, async () => {
      checkPackage(library);
      return fixLibrary(box, library);
    });
    if ('message' in one) failures.push(one);
    else fixed.push(one.value);
  }
  if (failures.length > 0) return { kind: 'failed', failures };
  await onProgress(wanted, 'INSTALLING');
  const made: (readonly [Group, Folders])[] = [];
  for (const group of groups) {
    const done = await installGroup(box, group, fixed, current);
    if ('failures' in done) failures.push(...done.failures);
    else made.push([group, done.folders]);
  }
  if (failures.length > 0) return { kind: 'failed', failures };
  return {
    kind: 'installed',
    environment: { installed: [...current.installed, ...fixed], paths: pathsOf(made) },
  };
}

type Folders = Partial<LibraryPaths>;

/** Libraries that are installed together, because one tool has to make them fit each other. */
interface Group {
  readonly kinds: readonly LibraryKind[];
  readonly install: (
    box: Toolbox,
    libraries: readonly PinnedLibrary[],
    present: ClusterEnvironment,
  ) => Promise<Folders>;
}

const groups: readonly Group[] = [
  {
    kinds: ['jar'],
    install: async (_box, libraries) => ({ classPath: libraries.flatMap(({ files }) => files) }),
  },
  {
    kinds: ['maven'],
    install: async (box, libraries) => ({
      classPath: await installJava(
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
      const { folder, programs } = await installPython(
        box,
        libraries,
        had ? present.paths.pythonPath[0] : undefined,
      );
      return { pythonPath: [folder], binPath: programs === undefined ? [] : [programs] };
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
        await installR(
          box,
          libraries.flatMap(({ library }) => library.cran ?? []),
        ),
      ],
    }),
  },
];

type GroupDone = { readonly folders: Folders } | { readonly failures: readonly LibraryFailure[] };

async function installGroup(
  box: Toolbox,
  group: Group,
  fixed: readonly PinnedLibrary[],
  present: ClusterEnvironment,
): Promise<GroupDone> {
  const ofGroup = (libraries: readonly PinnedLibrary[]): PinnedLibrary[] =>
    libraries.filter(({ library }) => group.kinds.includes(libraryKind(library)));
  const [before, added] = [ofGroup(present.installed), ofGroup(fixed)];
  const all = [...before, ...added];
  const [first] = all;
  if (first === undefined) return { folders: {} };
  const together = await attempt(first.library, () => group.install(box, all, present));
  if (!('message' in together)) return { folders: together.value };
  return { failures: await blame(box, group, { before, added, message: together.message }) };
}

/**
 * Which of the added libraries cannot be installed: those that fail alone, or all of them, because they do
 * not fit together.
 */
async function blame(
  box: Toolbox,
  group: Group,
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
    const alone = await attempt(one.library, () =>
      group.install(box, [one], { installed: [], paths: { classPath: [], pythonPath: [], binPath: [] } }),
    );
    if ('message' in alone) failures.push(alone);
  }
  if (failures.length > 0) return failures;
  const others = before.length > 0 ? 'does not fit what the cluster has' : 'does not fit the other libraries';
  return added.map(({ library }) => ({ library, message: `${others}: ${message}` }));
}

/**
 * What `work` gives, or why this library fails. @throws Stopped, and whatever is no answer about a library
 */
async function attempt<Value>(
  library: Library,
  work: () => Promise<Value>,
): Promise<{ readonly value: Value } | LibraryFailure> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof CannotInstall || error instanceof ServiceError)
      return { library, message: messageOf(error) };
    if (codeOf(error) === 'EACCES') return { library, message: 'the file may not be read by the service.' };
    throw error;
  }
}

function pathsOf(made: readonly (readonly [Group, Folders])[]): LibraryPaths {
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
