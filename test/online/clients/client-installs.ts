/**
 * Installs clients in pinned versions into a cache directory of the user: Python packages into a virtual
 * environment, Go modules and Maven artifacts as built programs.
 */
import { createHash } from 'node:crypto';
import { access, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa, ExecaError } from 'execa';
import { findSandbox } from '../../../cli/wiring/isolation.ts';
import { findPythonWithPip } from '../../harness/python-packages.ts';

/** Why a client cannot run here: a tool of this machine is missing, or its registry does not answer. */
export class ClientUnavailable extends Error {}

/** Where installed clients stay between runs. `RUNYARD_TEST_CLIENTS` names another directory. */
const cacheDirectory =
  process.env['RUNYARD_TEST_CLIENTS'] ??
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'runyard-test-clients');

/** Messages of pip, npm, Maven and Go about a registry that does not answer. */
const unreachableRegistry =
  /from versions: none|Connection|Could not transfer|UnknownHost|Unknown host|timed out|No plugin found|could not be resolved|dial tcp|no such host|ENOTFOUND|EAI_AGAIN|ECONNREFUSED/;

/** Tells whether this machine has bubblewrap, which mounts managed_fs at /dbfs for tasks. */
export async function hasSandbox(): Promise<boolean> {
  return findSandbox(undefined).then(
    () => true,
    () => false,
  );
}

/** Path of a file or folder beside this one. */
export function sourcePath(...names: string[]): string {
  return fileURLToPath(new URL(names.join('/'), import.meta.url));
}

/**
 * Installs the packages of `<client>/requirements.txt` with the versions of `<client>/constraints.txt`.
 * @returns directory of the programs of the virtual environment, `python` among them
 */
export async function installPythonPackages(client: string): Promise<string> {
  const python = await findPythonWithPip();
  if (python === undefined) throw new ClientUnavailable('This machine has no Python with pip.');
  const { stdout: version } = await execa(python, ['--version']);
  const [requirements, constraints] = [
    sourcePath(client, 'requirements.txt'),
    sourcePath(client, 'constraints.txt'),
  ];
  const pins = [version, await readFile(requirements, 'utf8'), await readFile(constraints, 'utf8')];
  const directory = await installOnce(client, pins, async (target) => {
    await runInstaller(python, ['-m', 'venv', target]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--retries', '1', '-r', requirements, '-c', constraints];
    await runInstaller(join(target, 'bin/python'), pip);
  });
  return join(directory, 'bin');
}

/** Builds the Go program in `<client>/` with the versions of its go.mod. @returns path of the program */
export async function buildGoProgram(client: string): Promise<string> {
  const source = sourcePath(client);
  const pins = await Promise.all(
    ['go.mod', 'go.sum', 'main.go'].map((name) => readFile(join(source, name), 'utf8')),
  );
  const directory = await installOnce(client, pins, (target) =>
    runInstaller('go', ['build', '-mod=readonly', '-o', join(target, client), '.'], { cwd: source }),
  );
  return join(directory, client);
}

/**
 * Fetches the dependencies of `<client>/pom.xml` and compiles the Java source beside it.
 * @returns class path of the program
 */
export async function buildJavaProgram(client: string, mainFile: string): Promise<string> {
  const names = ['pom.xml', mainFile];
  const pins = await Promise.all(names.map((name) => readFile(sourcePath(client, name), 'utf8')));
  const directory = await installOnce(client, pins, async (target) => {
    for (const name of names) await cp(sourcePath(client, name), join(target, name));
    const copy = ['-q', '-B', 'dependency:copy-dependencies', `-DoutputDirectory=${join(target, 'lib')}`];
    await runInstaller('mvn', copy, { cwd: target });
    await runInstaller('javac', ['-cp', join(target, 'lib/*'), '-d', target, mainFile], { cwd: target });
  });
  return `${directory}:${join(directory, 'lib/*')}`;
}

/**
 * Runs an installation unless it is already in the cache for these pins.
 * A marker file is written last, so that an interrupted installation starts again.
 */
async function installOnce(
  client: string,
  pins: readonly string[],
  install: (target: string) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256').update(pins.join('\n')).digest('hex').slice(0, 12);
  const directory = join(cacheDirectory, `${client}-${hash}`);
  const marker = join(directory, 'installed');
  if (await exists(marker)) return directory;
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  await install(directory);
  await writeFile(marker, '');
  return directory;
}

/** Runs one installer. @throws ClientUnavailable when it is not installed or its registry does not answer */
async function runInstaller(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string } = {},
): Promise<void> {
  try {
    await execa(program, args, { ...options, all: true });
  } catch (error) {
    if (!(error instanceof ExecaError)) throw error;
    if (error.code === 'ENOENT') throw new ClientUnavailable(`This machine has no ${program}.`);
    if (unreachableRegistry.test(error.all ?? ''))
      throw new ClientUnavailable(`The package registry of ${program} does not answer.`);
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
