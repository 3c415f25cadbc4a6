/**
 * Python packages of a cluster: all of them together in one folder, so that one of each is there and they fit
 * each other.
 */
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

/** Whoever else attends the same process may write it again while that runs. */
const sharedFileMode = 0o644;
const dayMs = 24 * 60 * 60 * 1_000;

/** Where Python finds packages, and their programs. */
export interface PythonFolder {
  readonly folder: string;
  /** Absent when they bring no programs. */
  readonly binFolder: string | undefined;
}

/**
 * Installs wheels and packages of an index. What a cluster had before keeps its versions if that is possible:
 * what runs there was written against them.
 * @param before the folder of what it had; some of `libraries`, and what those need
 * @throws InstallError, Stopped
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
  // What names no exact version is looked for again every day.
  const exact = libraries.every(
    ({ library }) => library.pypi === undefined || /={2,3}[^*,]+$/.test(library.pypi.package),
  );
  const making: BuildSpec = {
    section: 'python',
    key: cacheKeyOf(
      'pip',
      await interpreterIdOf(python, build.isolation),
      specs.map((spec) => spec.replace(build.root, '')),
      toIndexArgs(libraries, repos),
      pins,
      listPipVariables(build.environment),
      exact ? '' : Math.floor(build.now() / dayMs),
    ),
    environment: { PIP_ROOT_USER_ACTION: 'ignore' },
    async command(draft, bench) {
      await writeFileAtomically(join(bench, 'constraints.txt'), `${pins.join('\n')}\n`, sharedFileMode);
      const folders = [
        ...new Set(
          libraries
            .filter(({ files }) => files.length > 1)
            .flatMap(({ files }) => files.map((file) => dirname(file))),
        ),
      ];
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
        join(bench, 'constraints.txt'),
        ...toIndexArgs(libraries, repos),
        ...folders.flatMap((folder) => ['--find-links', folder]),
        '--',
        ...specs,
      ];
    },
  };
  const folder = requireEntry(await checkPip(buildOnce(build, making), python));
  const programs = join(folder, 'bin');
  return { folder, binFolder: (await statIfExists(programs)) === undefined ? undefined : programs };
}

/** One index that all name replaces the default one; several are asked beside it. */
function toIndexArgs(libraries: readonly PinnedLibrary[], repos: readonly string[]): string[] {
  const [first] = repos;
  const all = libraries.every(({ library }) => library.pypi === undefined || library.pypi.repo !== undefined);
  if (first !== undefined && repos.length === 1 && all) return ['--index-url', first];
  return repos.flatMap((repo) => ['--extra-index-url', repo]);
}

/** Python without pip says so in words that help nobody. */
async function checkPip(making: ReturnType<typeof buildOnce>, python: string): ReturnType<typeof buildOnce> {
  const made = await making;
  if (made.kind !== 'failed' || !/No module named '?pip\b/.test(made.message)) return made;
  throw new InstallError(
    `${python} has no pip. Install it (for example "apt-get install python3-pip") and start the run again.`,
  );
}

/** Variables that change what pip finds. */
function listPipVariables(environment: Readonly<Record<string, string>>): string[] {
  return Object.entries(environment)
    .filter(([name]) => name.startsWith('PIP_'))
    .map(([name, value]) => `${name}=${value}`)
    .toSorted();
}

/** `name==version` of everything that is installed in a folder. */
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

/** What tells one Python from another for which packages are built. */
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
      throw new InstallError(`${python} does not run.`);
    });
  interpreterIds.set(python, known);
  known.catch(() => interpreterIds.delete(python));
  return known;
}
