/**
 * Settles at the start how tasks are kept apart from the service, and refuses what this machine cannot keep.
 */
import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { messageOf } from '../../engine/errors.ts';
import { findInterpreter } from '../../runners/process/task-environment.ts';
import {
  toSetprivArgs,
  type Isolation,
  type Sandbox,
  type TaskUser,
} from '../../runners/process/isolation.ts';
import { toolDirectories } from '../../runners/libraries/library-cache.ts';
import type { Roots } from '../../storage/files/roots.ts';
import type { Config } from '../config.ts';
import { libraryDirectory, objectDirectory } from './cache-directories.ts';

const execFileAsync = promisify(execFile);
const applicationDirectory = fileURLToPath(new URL('../..', import.meta.url));
const supervisorScript = join(applicationDirectory, 'runners', 'supervisor', 'supervise.sh');
/** Where programs of the system are looked for, whatever PATH the tasks have. */
const systemPath = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'].join(delimiter);

/** A setting that this machine cannot keep. The message is one line that names it. */
export class IsolationError extends Error {}

/** The user of RUNYARD_TASK_USER, with everything that tasks need to run as it. @throws IsolationError */
export async function resolveTaskUser({
  taskUser: name,
}: Pick<Config, 'taskUser'>): Promise<TaskUser | undefined> {
  if (name === undefined) return undefined;
  const refuse = (why: string): never => {
    throw new IsolationError(`RUNYARD_TASK_USER is ${JSON.stringify(name)}, but ${why}`);
  };
  if (process.getuid?.() !== 0)
    refuse('the service does not run as root, and only root can start processes of other users.');
  const setpriv = (await findSystemProgram('setpriv')) ?? refuse('setpriv is not here: install util-linux.');
  const [uid = 0, gid = 0] = (
    await Promise.all(['-u', '-g'].map((which) => execFileAsync('id', [which, '--', name]))).catch(() =>
      refuse('there is no such user on this machine.'),
    )
  ).map(({ stdout }) => Number(stdout));
  if (uid === 0) refuse('it must not be root: tasks would have all rights.');
  const home =
    (await execFileAsync('getent', ['passwd', String(uid)]).catch(() => ({ stdout: '' }))).stdout.split(
      ':',
    )[5] ?? '';
  const user: TaskUser = {
    name,
    uid,
    gid,
    setprivPath: setpriv,
    home: (await isDirectory(home)) ? home : undefined,
  };
  if (!(await canExecute(user, 'test', '-r', supervisorScript)))
    refuse(`this user cannot read ${supervisorScript}: allow it with chmod o+x on the directories above.`);
  return user;
}

/**
 * The isolation that the configuration asks for.
 * @param hidden directories of the embedded database, which no task may look into
 * @throws IsolationError when this machine cannot keep it
 */
export async function resolveIsolation(
  config: Config,
  roots: Roots,
  user: TaskUser | undefined,
  hidden: readonly string[],
): Promise<Isolation> {
  const { taskLimits: limits, taskSandbox } = config;
  if (limits.processes !== undefined && user === undefined) {
    throw new IsolationError(
      'RUNYARD_TASK_LIMITS limits processes, which the system counts by user: name one for tasks in RUNYARD_TASK_USER, or leave them out.',
    );
  }
  if (user !== undefined) {
    await assertNotDatabaseUser(user, hidden);
    await grantTaskUserAccess(config.dataDirectory, roots, user);
  }
  if (user !== undefined || taskSandbox !== 'none') await createToolDirectories(config.dataDirectory, user);
  return {
    limits,
    user,
    sandbox: taskSandbox === 'none' ? undefined : await createSandbox(config, roots, user, hidden),
  };
}

async function assertNotDatabaseUser({ name, uid }: TaskUser, directories: readonly string[]): Promise<void> {
  for (const directory of directories) {
    if ((await stat(directory)).uid !== uid) continue;
    throw new IsolationError(
      `RUNYARD_TASK_USER is ${JSON.stringify(name)}, which the embedded database runs as, so that tasks could read it: make another user, or use DATABASE_URL.`,
    );
  }
}

/** The program of the sandbox, when it works for this user. @throws Error saying why it does not */
export async function findSandbox(user: TaskUser | undefined): Promise<string> {
  const program = await findSystemProgram('bwrap');
  if (program === undefined) throw new Error('bwrap is not here: install bubblewrap');
  const [first = program, ...words] = [
    ...toSetprivArgs(user),
    program,
    '--unshare-pid',
    '--unshare-ipc',
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--',
    'true',
  ];
  await execFileAsync(first, words, { cwd: '/' });
  return program;
}

async function createSandbox(
  config: Config,
  roots: Roots,
  user: TaskUser | undefined,
  hidden: readonly string[],
): Promise<Sandbox> {
  const program = await findSandbox(user).catch((error: unknown) => {
    throw new IsolationError(
      `RUNYARD_TASK_SANDBOX is bubblewrap, which cannot be used here: ${messageOf(error).trim().split('\n').at(-1)}.`,
    );
  });
  const { dataDirectory } = config;
  const outside = hidden.filter((path) => path !== dataDirectory && !path.startsWith(`${dataDirectory}/`));
  return {
    bwrapPath: program,
    readOnly: [applicationDirectory.replace(/\/$/, ''), ...roots.allowed.map(({ directory }) => directory)],
    hidden: [dataDirectory, ...outside],
    shared: [roots.managedFs.directory],
    // The last two hold what was fetched for tasks.
    sharedReadOnly: [
      roots.workspace.directory,
      roots.objstore.directory,
      libraryDirectory(dataDirectory),
      objectDirectory(dataDirectory),
    ],
  };
}

/**
 * Lets the user of tasks through to what is its own, and into what it may read; files from before are handed
 * over once.
 */
async function grantTaskUserAccess(dataDirectory: string, roots: Roots, user: TaskUser): Promise<void> {
  for (const { directory } of [roots.runs, roots.clusters]) {
    await mkdir(directory, { recursive: true });
    await chmod(directory, 0o711);
  }
  for (const { directory } of [roots.managedFs, roots.workspace, roots.objstore])
    await mkdir(directory, { recursive: true, mode: 0o700 });
  const { uid, gid } = user;
  if ((await stat(roots.managedFs.directory)).uid !== uid)
    await execFileAsync('chown', ['-R', '-h', `${uid}:${gid}`, roots.managedFs.directory]);
  for (const { directory } of [roots.workspace, roots.objstore]) {
    if ((await stat(directory)).gid === gid) continue;
    await execFileAsync('chmod', ['-R', 'g+rX', directory]);
    await execFileAsync('chown', ['-R', '-h', `:${gid}`, directory]);
    await chown(directory, 0, gid);
  }
  if (await canExecute(user, 'test', '-x', roots.runs.directory)) return;
  throw new IsolationError(
    `RUNYARD_TASK_USER is ${JSON.stringify(user.name)}, who cannot enter ${dataDirectory}: allow it with chmod o+x on the directories above.`,
  );
}

/** Installers of libraries write in them, whoever they are. */
async function createToolDirectories(dataDirectory: string, user: TaskUser | undefined): Promise<void> {
  for (const name of toolDirectories) {
    const directory = join(libraryDirectory(dataDirectory), name);
    await mkdir(directory, { recursive: true });
    if (user !== undefined && (await stat(directory)).uid !== user.uid)
      await execFileAsync('chown', ['-R', '-h', `${user.uid}:${user.gid}`, directory]);
  }
}

async function findSystemProgram(name: string): Promise<string | undefined> {
  return findInterpreter(name, { PATH: systemPath });
}

async function canExecute(user: TaskUser, ...command: string[]): Promise<boolean> {
  const [first = '', ...words] = [...toSetprivArgs(user), ...command];
  return execFileAsync(first, words, { cwd: '/' }).then(
    () => true,
    () => false,
  );
}

async function isDirectory(path: string): Promise<boolean> {
  return (
    path !== '' &&
    stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    )
  );
}
