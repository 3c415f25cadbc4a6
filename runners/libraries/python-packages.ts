/** Python packages of a cluster: installed together in one folder, with compatible versions. */
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PinnedLibrary } from '../../engine/ports/libraries.ts';
import { undefinedIfMissing, statIfExists } from '../../engine/read-file.ts';
import { captureOutput } from '../process/task-environment.ts';
import type { Isolation } from '../process/isolation.ts';
import { writeFileAtomically } from '../process/pinned-command.ts';
import { cacheKeyOf } from './library-cache.ts';
import { InstallError, requireEntry, InstallStopped, type InstallTools } from './pin-library.ts';
import { buildOnce, type BuildSpec } from './build-once.ts';

/** Readable for the user of tasks. Other waiting callers may write the file again. */
const sharedFileMode = 0o644;
const dayMs = 24 * 60 * 60 * 1_000;

/** Folders of Python packages and their programs. */
export interface PythonFolder {
  readonly folder: string;
  /** Undefined without programs. */
  readonly binFolder: string | undefined;
}

/**
 * Installs wheels and packages of an index. Packages that the cluster has keep their versions if possible.
 * @param before folder of the installed packages of the cluster
 * @throws InstallError, InstallStopped
 */
export async function installPythonPackages(
  tools: InstallTools,
  libraries: readonly PinnedLibrary[],
  before: string | undefined,
): Promise<PythonFolder> {
  const python = await tools.requireProgram('python3');
  const pins = before === undefined ? [] : await listReleases(before);
  try {
    return await installWithPins(tools, python, libraries, pins);
  } catch (error) {
    if (pins.length === 0 || error instanceof InstallStopped) throw error;
    return installWithPins(tools, python, libraries, []);
  }
}

async function installWithPins(
  { build }: InstallTools,
  python: string,
  libraries: readonly PinnedLibrary[],
  pins: readonly string[],
): Promise<PythonFolder> {
  const specs = libraries.flatMap(({ library, files }) =>
    library.pypi === undefined ? files : [library.pypi.package.trim()],
  );
  const repos = [...new Set(libraries.flatMap(({ library }) => library.pypi?.repo ?? []))];
  // Packages without an exact version are resolved again every day.
  const exact = libraries.every(
    ({ library }) => library.pypi === undefined || /={2,3}[^*,]+$/.test(library.pypi.package),
  );
  const spec: BuildSpec = {
    section: 'python',
    key: cacheKeyOf(
      'pip',
      await interpreterIdOf(python, build.isolation),
      specs.map((specifier) => specifier.replace(build.root, '')),
      toIndexArgs(libraries, repos),
      pins,
      listPipVariables(build.environment),
      exact ? '' : Math.floor(build.now() / dayMs),
    ),
    environment: { PIP_ROOT_USER_ACTION: 'ignore' },
    async command(draft, workspace) {
      const constraints = join(workspace, 'constraints.txt');
      await writeFileAtomically(constraints, `${pins.join('\n')}\n`, sharedFileMode);
      return [
        python,
        '-m',
        'pip',
        'install',
        '--target',
        draft,
        '--no-input',
        '--disable-pip-version-check',
        '--no-warn-script-location',
        '--progress-bar',
        'off',
        '--cache-dir',
        join(build.root, 'pip'),
        '--constraint',
        constraints,
        ...toIndexArgs(libraries, repos),
        ...toFindLinksArgs(libraries),
        '--',
        ...specs,
      ];
    },
  };
  const folder = requireEntry(await checkPip(buildOnce(build, spec), python));
  const programs = join(folder, 'bin');
  return { folder, binFolder: (await statIfExists(programs)) === undefined ? undefined : programs };
}

/** One index shared by all packages replaces the default index; otherwise they are additional indexes. */
function toIndexArgs(libraries: readonly PinnedLibrary[], repos: readonly string[]): string[] {
  const [first] = repos;
  const all = libraries.every(({ library }) => library.pypi === undefined || library.pypi.repo !== undefined);
  if (first !== undefined && repos.length === 1 && all) return ['--index-url', first];
  return repos.flatMap((repo) => ['--extra-index-url', repo]);
}

/** Lets pip choose among the wheels of a wheelhouse. */
function toFindLinksArgs(libraries: readonly PinnedLibrary[]): string[] {
  const wheelhouses = libraries.filter(({ files }) => files.length > 1);
  const folders = new Set(wheelhouses.flatMap(({ files }) => files.map((file) => dirname(file))));
  return [...folders].flatMap((folder) => ['--find-links', folder]);
}

/** Replaces the error of a Python without pip by an instruction. */
async function checkPip(build: ReturnType<typeof buildOnce>, python: string): ReturnType<typeof buildOnce> {
  const made = await build;
  if (made.kind !== 'failed' || !/No module named '?pip\b/.test(made.message)) return made;
  throw new InstallError(
    `${python} has no pip. Install it (for example "apt-get install python3-pip") and start the run again.`,
  );
}

/** Returns the variables that configure pip. */
function listPipVariables(environment: Readonly<Record<string, string>>): string[] {
  return Object.entries(environment)
    .filter(([name]) => name.startsWith('PIP_'))
    .map(([name, value]) => `${name}=${value}`)
    .toSorted();
}

/** Returns `name==version` of every package in a folder. */
async function listReleases(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(undefinedIfMissing)) ?? [];
  return names
    .flatMap((name) => {
      const [, release, version] = /^(.+)-([^-]+)\.dist-info$/.exec(name) ?? [];
      return release === undefined || version === undefined ? [] : [`${release}==${version}`];
    })
    .toSorted();
}

const interpreterIds = new Map<string, Promise<string>>();

/** Returns an id of the Python for which packages are built. */
function interpreterIdOf(python: string, isolation: Isolation): Promise<string> {
  const known =
    interpreterIds.get(python) ??
    captureOutput(
      isolation,
      [
        python,
        '-c',
        'import sys, sysconfig; print(sys.implementation.cache_tag, sysconfig.get_platform(), sys.executable)',
      ],
      {},
    ).catch(() => {
      throw new InstallError(`${python} could not be run.`);
    });
  interpreterIds.set(python, known);
  known.catch(() => interpreterIds.delete(python));
  return known;
}
