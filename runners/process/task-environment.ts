/** Environment of a task: its variables, and the interpreters of this machine. */
import { execFile } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { noLibraries, type LibraryPaths } from '../../engine/cluster/libraries.ts';
import type { TaskAssignment } from '../../engine/run/assignment.ts';
import { applyIsolation, noIsolation, toSetprivArgs, type Isolation, type TaskUser } from './isolation.ts';
import type { RunnerSettings } from '../pool/thread-messages.ts';

const execFileAsync = promisify(execFile);

/**
 * Returns the environment of a task: variables allowed by the configuration, variables of the cluster, then
 * those with ids and paths of the task. The environment of the service is not part of it.
 */
export function taskEnvironment(
  settings: RunnerSettings,
  assignment: TaskAssignment,
  temporary: string,
): Record<string, string> {
  const { user } = settings.isolation;
  const environment = { ...settings.taskEnvironment, ...assignment.cluster?.environment };
  return {
    ...settings.taskEnvironment,
    ...userVariables(user, join(assignment.directory, 'work')),
    ...assignment.cluster?.environment,
    ...libraryVariables(environment, assignment.cluster?.libraries),
    TMPDIR: temporary,
    RUNYARD_JOB_ID: String(assignment.jobId),
    RUNYARD_JOB_RUN_ID: String(assignment.jobRunId),
    RUNYARD_RUN_ID: String(assignment.runId),
    RUNYARD_TASK_KEY: assignment.taskKey,
    ...(assignment.cluster && { RUNYARD_CLUSTER_ID: assignment.cluster.clusterId }),
  };
}

/**
 * Returns the variables for the user of tasks; none when tasks run as the service.
 * @param home home directory for a user without one
 */
export function userVariables(user: TaskUser | undefined, home: string): Record<string, string> {
  return user === undefined ? {} : { HOME: user.home ?? home, USER: user.name, LOGNAME: user.name };
}

/** Returns search-path variables with the libraries of the cluster before the existing entries. */
function libraryVariables(
  environment: Readonly<Record<string, string>>,
  libraries: LibraryPaths = noLibraries,
): Record<string, string> {
  const paths = {
    PYTHONPATH: libraries.pythonPath,
    PATH: libraries.binPath,
    CLASSPATH: libraries.classPath,
    R_LIBS: libraries.rPath ?? [],
  };
  return Object.fromEntries(
    Object.entries(paths)
      .filter(([, added]) => added.length > 0)
      .map(([name, added]) => {
        const before = environment[name] ?? '';
        return [name, [...added, ...(before === '' ? [] : [before])].join(delimiter)];
      }),
  );
}

const interpreterCache = new Map<string, string>();

/**
 * Returns the real path of a program on the PATH of a task. Found programs are cached; one that
 * is missing or was removed is searched for again.
 * @param isolation isolation in which the program must run
 */
export async function findInterpreter(
  program: string,
  environment: Readonly<Record<string, string>>,
  isolation = noIsolation,
): Promise<string | undefined> {
  const { user, sandbox } = isolation;
  const path = environment['PATH'] ?? '';
  const key = [program, path, user?.name, sandbox?.bwrapPath].join('\0');
  const known = interpreterCache.get(key);
  if (known !== undefined && existsSync(known)) return known;
  for (const directory of path.split(delimiter)) {
    const file = join(directory, program);
    if (directory === '' || !(await isExecutable(file))) continue;
    const real = await (program.startsWith('python')
      ? resolvePythonShim(file, environment, isolation)
      : realpath(file));
    if (real === undefined || (user !== undefined && !(await canExecuteAs(user, real)))) continue;
    interpreterCache.set(key, real);
    return real;
  }
  return undefined;
}

async function canExecuteAs(user: TaskUser, file: string): Promise<boolean> {
  const [setpriv = '', ...words] = [...toSetprivArgs(user), 'test', '-x', file];
  return execFileAsync(setpriv, words, { cwd: '/' }).then(
    () => true,
    () => false,
  );
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Resolves the shim of a version manager, which starts slowly, by asking the interpreter for its path. */
async function resolvePythonShim(
  file: string,
  environment: Readonly<Record<string, string>>,
  isolation: Isolation,
): Promise<string | undefined> {
  try {
    return (
      (await captureOutput(isolation, [file, '-c', 'import sys; print(sys.executable)'], environment)) || file
    );
  } catch {
    return undefined;
  }
}

/**
 * Returns the output of a program. It runs isolated like a task, because the PATH of a cluster selects it.
 * @throws Error when it fails
 */
export async function captureOutput(
  isolation: Isolation,
  argv: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const {
    argv: words,
    env,
    runAs: asUser = [],
  } = applyIsolation(isolation, { argv, env: environment }, { cwd: '/', writable: [] });
  const [first = '', ...rest] = [...asUser, ...words];
  const { stdout } = await execFileAsync(first, rest, { env: { ...env }, cwd: '/', timeout: 10_000 });
  return stdout.trim();
}
