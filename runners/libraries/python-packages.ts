/**
 * Python packages of a cluster: all of them together in one folder, so that one of each is there and they fit
 * each other.
 */
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PinnedLibrary } from '../../engine/ports/libraries.ts';
import { undefinedIfMissing, statIfExists } from '../../engine/read-file.ts';
import { answerOf } from '../process/environment.ts';
import type { Isolation } from '../process/isolation.ts';
import { writeInOneStep } from '../process/pinned-command.ts';
import { keyOf } from './cache.ts';
import { CannotInstall, entryIn, Stopped, type Toolbox } from './fix-files.ts';
import { makeOnce, type Making } from './make-once.ts';

/** Whoever else attends the same process may write it again while that runs. */
const readable = 0o644;
const day = 24 * 60 * 60 * 1_000;

/** Where Python finds packages, and their programs. */
export interface PythonFolder {
  readonly folder: string;
  /** Absent when they bring no programs. */
  readonly programs: string | undefined;
}

/**
 * Installs wheels and packages of an index. What a cluster had before keeps its versions if that is possible:
 * what runs there was written against them.
 * @param before the folder of what it had; some of `libraries`, and what those need
 * @throws CannotInstall, Stopped
 */
export async function installPython(
  tools: Toolbox,
  libraries: readonly PinnedLibrary[],
  before: string | undefined,
): Promise<PythonFolder> {
  const python = await tools.program('python3');
  const pins = before === undefined ? [] : await releasesIn(before);
  try {
    return await install(tools, python, libraries, pins);
  } catch (error) {
    if (pins.length === 0 || error instanceof Stopped) throw error;
    return install(tools, python, libraries, []);
  }
}

async function install(
  { shop }: Toolbox,
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
  const making: Making = {
    part: 'python',
    key: keyOf(
      'pip',
      await identityOf(python, shop.isolation),
      specs.map((spec) => spec.replace(shop.root, '')),
      indexes(libraries, repos),
      pins,
      pipVariables(shop.environment),
      exact ? '' : Math.floor(shop.now() / day),
    ),
    environment: { PIP_ROOT_USER_ACTION: 'ignore' },
    async command(draft, bench) {
      await writeInOneStep(join(bench, 'constraints.txt'), `${pins.join('\n')}\n`, readable);
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
        join(shop.root, 'pip'),
        '--constraint',
        join(bench, 'constraints.txt'),
        ...indexes(libraries, repos),
        ...folders.flatMap((folder) => ['--find-links', folder]),
        '--',
        ...specs,
      ];
    },
  };
  const folder = entryIn(await withTool(makeOnce(shop, making), python));
  const programs = join(folder, 'bin');
  return { folder, programs: (await statIfExists(programs)) === undefined ? undefined : programs };
}

/** One index that all name replaces the default one; several are asked beside it. */
function indexes(libraries: readonly PinnedLibrary[], repos: readonly string[]): string[] {
  const [first] = repos;
  const all = libraries.every(({ library }) => library.pypi === undefined || library.pypi.repo !== undefined);
  if (first !== undefined && repos.length === 1 && all) return ['--index-url', first];
  return repos.flatMap((repo) => ['--extra-index-url', repo]);
}

/** Python without pip says so in words that help nobody. */
async function withTool(making: ReturnType<typeof makeOnce>, python: string): ReturnType<typeof makeOnce> {
  const made = await making;
  if (made.kind !== 'failed' || !/No module named '?pip\b/.test(made.message)) return made;
  throw new CannotInstall(
    `${python} has no pip. Install it (for example "apt-get install python3-pip") and start the run again.`,
  );
}

/** Variables that change what pip finds. */
function pipVariables(environment: Readonly<Record<string, string>>): string[] {
  return Object.entries(environment)
    .filter(([name]) => name.startsWith('PIP_'))
    .map(([name, value]) => `${name}=${value}`)
    .toSorted();
}

/** `name==version` of everything that is installed in a folder. */
async function releasesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(undefinedIfMissing)) ?? [];
  return names
    .flatMap((name) => {
      const [, release, version] = /^(.+)-([^-]+)\.dist-info$/.exec(name) ?? [];
      return release === undefined || version === undefined ? [] : [`${release}==${version}`];
    })
    .toSorted();
}

const identities = new Map<string, Promise<string>>();

/** What tells one Python from another for which packages are built. */
function identityOf(python: string, isolation: Isolation): Promise<string> {
  const known =
    identities.get(python) ??
    answerOf(
      isolation,
      [
        python,
        '-c',
        'import sys, sysconfig; print(sys.implementation.cache_tag, sysconfig.get_platform(), sys.executable)',
      ],
      {},
    ).catch(() => {
      throw new CannotInstall(`${python} does not run.`);
    });
  identities.set(python, known);
  known.catch(() => identities.delete(python));
  return known;
}
