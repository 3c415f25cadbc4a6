/** What the doctor looks at: one entry a check, each answering with what it found and what to do. */
import { execFile } from 'node:child_process';
import { access, constants, mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { systemClock } from '../../engine/clock.ts';
import { codeOf } from '../../engine/errors.ts';
import { findInterpreter } from '../../runners/process/task-environment.ts';
import { openDatabase, ping } from '../../storage/postgres/database.ts';
import { DirectoryInUseError, lockDirectory } from '../../storage/embedded/directory-lock.ts';
import { prepareBinaries } from '../../storage/embedded/binaries.ts';
import type { Config } from '../config.ts';
import { checkTaskLimits, checkPlugins, checkSandbox, checkTaskUser, checkSpark } from './task-checks.ts';
import type { CheckResult } from './check-result.ts';
import { toStartError } from '../start-error.ts';

interface Check {
  readonly name: string;
  /** What goes wrong on the way counts as broken. */
  run(config: Config): Promise<CheckResult>;
}

const execFileAsync = promisify(execFile);
const bytesPerGiB = 2 ** 30;
const minimumNodeVersion = 24;
const recommendedOpenFiles = 4_096;
/** How long a database server may take to answer (ms). */
const databaseTimeoutMs = 5_000;

export const checks: readonly Check[] = [
  { name: 'node', run: checkNode },
  { name: 'python3', run: checkPython },
  {
    name: 'java',
    run: (config) => checkProgram(config, 'java', ['-version'], 'JAR tasks need it: install a Java runtime.'),
  },
  { name: 'pip', run: checkPip },
  {
    name: 'mvn',
    run: (config) =>
      checkProgram(
        config,
        'mvn',
        ['-Dstyle.color=never', '--version'],
        'Maven libraries need it: install Maven.',
      ),
  },
  {
    name: 'Rscript',
    run: (config) => checkProgram(config, 'Rscript', ['--version'], 'R libraries need it: install R.'),
  },
  { name: 'spark', run: checkSpark },
  { name: 'plugins', run: checkPlugins },
  { name: 'task user', run: checkTaskUser },
  { name: 'task sandbox', run: checkSandbox },
  { name: 'task limits', run: checkTaskLimits },
  {
    name: 'fallocate',
    run: (config) =>
      checkProgram(
        config,
        'fallocate',
        ['--version'],
        'It leaves out the middle of logs that grow beyond RUNYARD_LOG_BYTES_MAX; without it their tasks are stopped. Install util-linux.',
      ),
  },
  { name: 'data directory', run: checkDataDirectory },
  { name: 'free space', run: checkFreeSpace },
  { name: 'held by', run: checkDirectoryLock },
  { name: 'database', run: checkDatabase },
  { name: 'setpriv', run: checkSetpriv },
  { name: 'open files', run: checkOpenFiles },
];

async function checkNode(): Promise<CheckResult> {
  const found = `${process.version} at ${process.execPath}`;
  if (Number(process.versions.node.split('.')[0]) >= minimumNodeVersion) return { state: 'ok', found };
  return {
    state: 'broken',
    found,
    advice: `Node ${minimumNodeVersion} or newer is needed, which npm ci brings.`,
  };
}

async function checkPython(config: Config): Promise<CheckResult> {
  const advice = 'Python tasks and notebooks need it: install Python 3.8 or newer.';
  const finding = await checkProgram(config, 'python3', ['--version'], advice);
  const [, minor = ''] = /^Python 3\.(\d+)/.exec(finding.found) ?? [];
  return finding.state === 'ok' && Number(minor) < 8 ? { ...finding, state: 'poor', advice } : finding;
}

async function checkPip({ taskEnvironment }: Config): Promise<CheckResult> {
  const advice = 'Libraries of the kinds whl and pypi need it: install pip.';
  const python = await findInterpreter('python3', taskEnvironment);
  if (python === undefined) return { state: 'missing', found: 'no python3 in PATH', advice };
  const answer = await execFileAsync(python, ['-m', 'pip', '--version'], {
    env: { ...taskEnvironment },
  }).catch(() => undefined);
  return answer === undefined
    ? { state: 'missing', found: `${python} has none`, advice }
    : { state: 'ok', found: answer.stdout.trim() };
}

async function checkProgram(
  { taskEnvironment }: Config,
  program: string,
  version: readonly string[],
  advice: string,
): Promise<CheckResult> {
  const file = await findInterpreter(program, taskEnvironment);
  if (file === undefined) return { state: 'missing', found: 'not found in PATH', advice };
  // Java says its version on stderr.
  const { stdout, stderr } = await execFileAsync(file, version).catch(() => ({ stdout: '', stderr: '' }));
  const [line = ''] = stripVTControlCharacters(`${stdout}${stderr}`).trim().split('\n');
  if (line === '') return { state: 'missing', found: `${file}, which does not run`, advice };
  return { state: 'ok', found: `${line} at ${file}` };
}

async function checkDataDirectory({ dataDirectory }: Config): Promise<CheckResult> {
  const place = await findNearestExisting(dataDirectory);
  const made = place === dataDirectory;
  const found = made ? dataDirectory : `${dataDirectory}, which the first start makes`;
  if (!(await stat(place)).isDirectory()) {
    return {
      state: 'broken',
      found,
      advice: `${place} is a file: remove it, or choose another RUNYARD_DATA_DIR.`,
    };
  }
  const writable = await access(place, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (writable) return { state: 'ok', found };
  return {
    state: 'broken',
    found,
    advice: `This user may not write in ${place}: allow it, or choose another RUNYARD_DATA_DIR.`,
  };
}

async function checkFreeSpace({ dataDirectory }: Config): Promise<CheckResult> {
  const place = await findNearestExisting(dataDirectory);
  const { bavail, bsize } = await statfs(place);
  const found = `${((bavail * bsize) / bytesPerGiB).toFixed(1)} GiB where ${place} is`;
  if (bavail * bsize >= bytesPerGiB) return { state: 'ok', found };
  return { state: 'poor', found, advice: 'Make room: a full disk stops the database and the logs of tasks.' };
}

/**
 * Takes the lock of the embedded database and gives it back: only so is a dead holder told from a living one.
 */
async function checkDirectoryLock({ dataDirectory, databaseUrl }: Config): Promise<CheckResult> {
  const directory = join(dataDirectory, 'postgres');
  if (databaseUrl !== undefined)
    return { state: 'ok', found: 'engines that share a database server may share it' };
  if (!(await pathExists(directory))) return { state: 'ok', found: 'nobody' };
  try {
    await (await lockDirectory(directory, systemClock)).release();
    return { state: 'ok', found: 'nobody' };
  } catch (error) {
    if (error instanceof DirectoryInUseError)
      return { state: 'ok', found: `the engine with process id ${error.pid}` };
    throw error;
  }
}

async function checkDatabase(config: Config): Promise<CheckResult> {
  if (config.databaseUrl !== undefined) return checkDatabaseServer(config, config.databaseUrl);
  // Where this user may not complete the package, a copy of the programs is tried out.
  const base = await mkdtemp(join(tmpdir(), 'runyard-doctor-'));
  try {
    const { postgres } = await prepareBinaries({ baseDirectory: base, user: undefined });
    const { stdout } = await execFileAsync(postgres, ['--version']);
    return { state: 'ok', found: `embedded, ${stdout.trim()}` };
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

async function checkDatabaseServer(config: Config, url: string): Promise<CheckResult> {
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const database = openDatabase(url, quiet, { maxConnections: 1 });
  const patience = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => patience.reject(new Error(`No answer within ${databaseTimeoutMs / 1_000} seconds`)),
    databaseTimeoutMs,
  );
  const { host } = new URL(url);
  try {
    await Promise.race([ping(database.db), patience.promise]);
    // Only now: closing waits for a connection that is still being made.
    await database.close();
    return { state: 'ok', found: `${host} answers` };
  } catch (error) {
    return { state: 'broken', found: host, advice: toStartError(error, config).message };
  } finally {
    clearTimeout(timer);
  }
}

async function checkSetpriv(): Promise<CheckResult> {
  if (process.platform !== 'linux') return { state: 'ok', found: 'not needed on this system' };
  const works = await execFileAsync('setpriv', ['--pdeathsig', 'KILL', 'true']).then(
    () => true,
    () => false,
  );
  if (works) return { state: 'ok', found: 'works' };
  return {
    state: 'missing',
    found: 'not found, so a shell watches over the embedded database',
    advice: 'Install util-linux.',
  };
}

/** A child inherits the limit that this process has, which Node has raised as far as it may. */
async function checkOpenFiles(): Promise<CheckResult> {
  const { stdout } = await execFileAsync('sh', ['-c', 'ulimit -n']);
  const text = stdout.trim();
  if (text === 'unlimited' || Number(text) >= recommendedOpenFiles) return { state: 'ok', found: text };
  return {
    state: 'poor',
    found: text,
    advice: `Raise the limit to ${recommendedOpenFiles} or more (ulimit -n, LimitNOFILE).`,
  };
}

async function findNearestExisting(path: string): Promise<string> {
  return (await pathExists(path)) || path === dirname(path) ? path : findNearestExisting(dirname(path));
}

async function pathExists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => {
      const code = codeOf(error);
      if (code === 'ENOENT' || code === 'ENOTDIR') return false;
      throw error;
    },
  );
}
