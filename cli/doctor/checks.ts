/** Checks of the doctor: each returns what it found and what to do about it. */
import { checkMailServer } from './mail-check.ts';
import { access, constants, mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';
import { systemClock } from '../../engine/clock.ts';
import { codeOf } from '../../engine/errors.ts';
import { findInterpreter } from '../../runners/process/task-environment.ts';
import { openDatabase, ping } from '../../storage/postgres/database.ts';
import { DirectoryInUseError, lockDirectory } from '../../storage/embedded/directory-lock.ts';
import { prepareBinaries } from '../../storage/embedded/binaries.ts';
import type { Config } from '../config.ts';
import {
  checkMountPoints,
  checkTaskLimits,
  checkPlugins,
  checkSandbox,
  checkTaskUser,
  checkSpark,
} from './task-checks.ts';
import type { CheckResult } from './check-result.ts';
import { toStartError } from '../start-error.ts';

interface Check {
  readonly name: string;
  /** A rejection counts as `broken`. */
  run(config: Config): Promise<CheckResult>;
}

const bytesPerGiB = 2 ** 30;
const minimumNodeVersion = 24;
const recommendedOpenFiles = 4_096;
/** Maximum wait for an answer of the database server, ms. */
const databaseTimeoutMs = 5_000;

export const checks: readonly Check[] = [
  { name: 'node', run: checkNode },
  { name: 'python3', run: checkPython },
  {
    name: 'java',
    run: (config) =>
      checkProgram(config, 'java', ['-version'], 'JAR tasks need Java: install a Java runtime.'),
  },
  { name: 'pip', run: checkPip },
  {
    name: 'mvn',
    run: (config) =>
      checkProgram(
        config,
        'mvn',
        ['-Dstyle.color=never', '--version'],
        'Maven libraries need mvn: install Maven.',
      ),
  },
  {
    name: 'Rscript',
    run: (config) => checkProgram(config, 'Rscript', ['--version'], 'R libraries need Rscript: install R.'),
  },
  { name: 'spark', run: checkSpark },
  { name: 'plugins', run: checkPlugins },
  { name: 'task user', run: checkTaskUser },
  { name: 'task sandbox', run: checkSandbox },
  { name: 'mount points', run: checkMountPoints },
  { name: 'task limits', run: checkTaskLimits },
  {
    name: 'fallocate',
    run: (config) =>
      checkProgram(
        config,
        'fallocate',
        ['--version'],
        'The engine truncates logs above RUNYARD_LOG_BYTES_MAX with it; without it, the engine stops their tasks. Install util-linux.',
      ),
  },
  { name: 'data directory', run: checkDataDirectory },
  { name: 'free space', run: checkFreeSpace },
  { name: 'in use by', run: checkDirectoryLock },
  { name: 'database', run: checkDatabase },
  { name: 'mail server', run: checkMailServer },
  { name: 'setpriv', run: checkSetpriv },
  { name: 'open files', run: checkOpenFiles },
];

async function checkNode(): Promise<CheckResult> {
  const found = `${process.version} at ${process.execPath}`;
  if (Number(process.versions.node.split('.')[0]) >= minimumNodeVersion) return { state: 'ok', found };
  return {
    state: 'broken',
    found,
    advice: `Runyard needs Node ${minimumNodeVersion} or newer; npm ci installs it.`,
  };
}

async function checkPython(config: Config): Promise<CheckResult> {
  const advice = 'Python tasks and notebooks need Python 3.8 or newer: install it.';
  const result = await checkProgram(config, 'python3', ['--version'], advice);
  const [, minor = ''] = /^Python 3\.(\d+)/.exec(result.found) ?? [];
  return result.state === 'ok' && Number(minor) < 8 ? { ...result, state: 'warn', advice } : result;
}

async function checkPip({ taskEnvironment }: Config): Promise<CheckResult> {
  const advice = 'whl and pypi libraries need pip: install it.';
  const python = await findInterpreter('python3', taskEnvironment);
  if (python === undefined) return { state: 'missing', found: 'no python3 in PATH', advice };
  const version = await execa(python, ['-m', 'pip', '--version'], {
    env: taskEnvironment,
    extendEnv: false,
    stdin: 'ignore',
  }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
  return version === undefined
    ? { state: 'missing', found: `${python} has no pip`, advice }
    : { state: 'ok', found: version };
}

async function checkProgram(
  { taskEnvironment }: Config,
  program: string,
  version: readonly string[],
  advice: string,
): Promise<CheckResult> {
  const file = await findInterpreter(program, taskEnvironment);
  if (file === undefined) return { state: 'missing', found: 'not found in PATH', advice };
  // Java prints its version to stderr.
  const output = await execa(file, version, { all: true, stdin: 'ignore' }).then(
    ({ all }) => all,
    () => '',
  );
  const [line = ''] = stripVTControlCharacters(output).trim().split('\n');
  if (line === '') return { state: 'missing', found: `${file} does not run`, advice };
  return { state: 'ok', found: `${line} at ${file}` };
}

async function checkDataDirectory({ dataDirectory }: Config): Promise<CheckResult> {
  const existing = await findNearestExisting(dataDirectory);
  const found =
    existing === dataDirectory ? dataDirectory : `${dataDirectory}, which the first start creates`;
  if (!(await stat(existing)).isDirectory()) {
    return {
      state: 'broken',
      found,
      advice: `${existing} is a file: remove it, or choose another RUNYARD_DATA_DIR.`,
    };
  }
  const writable = await access(existing, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (writable) return { state: 'ok', found };
  return {
    state: 'broken',
    found,
    advice: `This user may not write to ${existing}: allow it, or choose another RUNYARD_DATA_DIR.`,
  };
}

async function checkFreeSpace({ dataDirectory }: Config): Promise<CheckResult> {
  const existing = await findNearestExisting(dataDirectory);
  const { bavail, bsize } = await statfs(existing);
  const found = `${((bavail * bsize) / bytesPerGiB).toFixed(1)} GiB on the file system of ${existing}`;
  if (bavail * bsize >= bytesPerGiB) return { state: 'ok', found };
  return { state: 'warn', found, advice: 'Free some space: a full disk stops the database and task logs.' };
}

/** Acquires the lock of the embedded database and releases it: only this detects a dead holder. */
async function checkDirectoryLock({ dataDirectory, databaseUrl }: Config): Promise<CheckResult> {
  const directory = join(dataDirectory, 'postgres');
  if (databaseUrl !== undefined)
    return { state: 'ok', found: 'engines with a shared database server may share it' };
  if (!(await pathExists(directory))) return { state: 'ok', found: 'no engine' };
  try {
    await (await lockDirectory(directory, systemClock)).release();
    return { state: 'ok', found: 'no engine' };
  } catch (error) {
    if (error instanceof DirectoryInUseError)
      return { state: 'ok', found: `the engine with process id ${error.pid}` };
    throw error;
  }
}

async function checkDatabase(config: Config): Promise<CheckResult> {
  if (config.databaseUrl !== undefined) return checkDatabaseServer(config, config.databaseUrl);
  // Checks a copy of the programs when this user may not write to the package.
  const base = await mkdtemp(join(tmpdir(), 'runyard-doctor-'));
  try {
    const { postgres } = await prepareBinaries({ baseDirectory: base, user: undefined });
    const { stdout } = await execa(postgres, ['--version'], { stdin: 'ignore' });
    return { state: 'ok', found: `embedded, ${stdout.trim()}` };
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

async function checkDatabaseServer(config: Config, url: string): Promise<CheckResult> {
  const silentLog = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const database = openDatabase(url, silentLog, { maxConnections: 1 });
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => timeout.reject(new Error(`No answer within ${databaseTimeoutMs / 1_000} s`)),
    databaseTimeoutMs,
  );
  const { host } = new URL(url);
  try {
    await Promise.race([ping(database.db), timeout.promise]);
    // Not in a finally block: close waits for a connection attempt that hangs.
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
  const { failed } = await execa('setpriv', ['--pdeathsig', 'KILL', 'true'], {
    reject: false,
    stdin: 'ignore',
  });
  if (!failed) return { state: 'ok', found: 'works' };
  return {
    state: 'missing',
    found: 'not found; a shell supervises the embedded database instead',
    advice: 'Install util-linux.',
  };
}

/** Reads the limit of a child process: it inherits the one that Node has raised to the hard limit. */
async function checkOpenFiles(): Promise<CheckResult> {
  const { stdout } = await execa('sh', ['-c', 'ulimit -n'], { stdin: 'ignore' });
  const text = stdout.trim();
  if (text === 'unlimited' || Number(text) >= recommendedOpenFiles) return { state: 'ok', found: text };
  return {
    state: 'warn',
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
