/** Resolves the isolation of tasks at start-up and rejects settings that this machine cannot enforce. */
import { chmod, chown, mkdir, readdir, readlink, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Options } from 'execa';
import { messageOf } from '../../engine/errors.ts';
import { mountPoints } from '../../engine/validation/aliases.ts';
import { findInterpreter } from '../../runners/process/task-environment.ts';
import {
  toSetprivArgs,
  type Isolation,
  type MountedDirectory,
  type Sandbox,
  type SystemEntry,
  type TaskUser,
} from '../../runners/process/isolation.ts';
import { toolDirectories } from '../../runners/libraries/library-cache.ts';
import type { Roots } from '../../storage/files/roots.ts';
import type { Config } from '../config.ts';
import { libraryDirectory, objectDirectory } from './cache-directories.ts';

const applicationDirectory = fileURLToPath(new URL('../..', import.meta.url));
const supervisorScript = join(applicationDirectory, 'runners', 'process', 'supervise.sh');
/** Search path for system programs, independent of the PATH of tasks. */
const systemPath = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'].join(delimiter);

/** Runs a program. Its library has a hundred modules, which a service without isolation does not load. */
async function runProgram(
  program: string,
  words: readonly string[],
  options: Pick<Options, 'cwd' | 'reject'> = {},
): Promise<{ readonly stdout: string; readonly failed: boolean }> {
  const { execa } = await import('execa');
  const { stdout, failed } = await execa(program, words, options);
  return { stdout: String(stdout), failed };
}

/** Setting that this machine cannot enforce. The message is one line that names the setting. */
export class IsolationError extends Error {}

/** Resolves RUNYARD_TASK_USER to a system user. @throws IsolationError */
export async function resolveTaskUser({
  taskUser: name,
}: Pick<Config, 'taskUser'>): Promise<TaskUser | undefined> {
  if (name === undefined) return undefined;
  const refuse = (reason: string): never => {
    throw new IsolationError(`RUNYARD_TASK_USER is ${JSON.stringify(name)}, but ${reason}`);
  };
  if (process.getuid?.() !== 0)
    refuse('the service does not run as root, and only root can start processes of other users.');
  const setpriv =
    (await findSystemProgram('setpriv')) ?? refuse('setpriv is not installed: install util-linux.');
  const [uid = 0, gid = 0] = (
    await Promise.all(['-u', '-g'].map((option) => runProgram('id', [option, '--', name]))).catch(() =>
      refuse('there is no such user on this machine.'),
    )
  ).map(({ stdout }) => Number(stdout));
  if (uid === 0) refuse('it must not be root: tasks would have all rights.');
  const home = await findHomeDirectory(uid);
  const user: TaskUser = { name, uid, gid, setprivPath: setpriv, home };
  if (!(await canExecute(user, 'test', '-r', supervisorScript)))
    refuse(`this user cannot read ${supervisorScript}: allow it with chmod o+x on the directories above.`);
  return user;
}

/**
 * Resolves the isolation that the configuration asks for.
 * @param hidden directories of the embedded database, which no task may read
 * @throws IsolationError when this machine cannot enforce it
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
      'RUNYARD_TASK_LIMITS limits processes, which the system counts by user: set RUNYARD_TASK_USER too, or remove the limit.',
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
      `RUNYARD_TASK_USER is ${JSON.stringify(name)}, which the embedded database runs as: tasks could read the database. Use another user, or DATABASE_URL.`,
    );
  }
}

/** Returns the sandbox program after a trial run as this user. @throws Error with the reason */
export async function findSandbox(user: TaskUser | undefined): Promise<string> {
  const program = await findSystemProgram('bwrap');
  if (program === undefined) throw new Error('bwrap is not installed: install bubblewrap');
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
  await runProgram(first, words, { cwd: '/' });
  return program;
}

/**
 * Lists the entries of the top directory that a sandbox shows. A sandbox with isolation has its own devices,
 * processes and temporary files.
 */
async function listSystemEntries(isolated: boolean): Promise<SystemEntry[]> {
  const replaced = new Set<string>(mountPoints.map(({ path }) => path));
  for (const path of isolated ? ['/dev', '/proc', '/tmp'] : []) replaced.add(path);
  const entries = (await readdir('/', { withFileTypes: true })).map(async (entry) => {
    const path = `/${entry.name}`;
    return entry.isSymbolicLink() ? { path, linkTo: await readlink(path) } : { path };
  });
  return (await Promise.all(entries)).filter(({ path }) => !replaced.has(path));
}

/** Creates the directories of managed_fs that tasks see at mount points. */
async function createMountedDirectories(
  { directory }: Roots['managedFs'],
  user: TaskUser | undefined,
): Promise<MountedDirectory[]> {
  const mounted = mountPoints.map(({ path, folder }) => ({ directory: join(directory, folder), at: path }));
  for (const { directory: made } of mounted) {
    const first = await mkdir(made, { recursive: true, mode: 0o700 });
    if (first !== undefined && user !== undefined) await chown(made, user.uid, user.gid);
  }
  return mounted;
}

async function createSandbox(
  config: Config,
  roots: Roots,
  user: TaskUser | undefined,
  hidden: readonly string[],
): Promise<Sandbox> {
  const program = await findSandbox(user).catch((error: unknown) => {
    throw new IsolationError(
      `RUNYARD_TASK_SANDBOX is ${config.taskSandbox}, which needs bubblewrap, and that does not work on this machine: ${messageOf(error).trim().split('\n').at(-1)}.`,
    );
  });
  const { dataDirectory } = config;
  const outside = hidden.filter((path) => path !== dataDirectory && !path.startsWith(`${dataDirectory}/`));
  const isolated = config.taskSandbox === 'bubblewrap';
  return {
    bwrapPath: program,
    isolated,
    system: await listSystemEntries(isolated),
    mounted: await createMountedDirectories(roots.managedFs, user),
    readOnly: [applicationDirectory.replace(/\/$/, ''), ...roots.allowed.map(({ directory }) => directory)],
    hidden: [dataDirectory, ...outside],
    shared: [roots.managedFs.directory],
    // The last two hold libraries and objects that the service fetched for tasks.
    sharedReadOnly: [
      roots.workspace.directory,
      roots.objstore.directory,
      libraryDirectory(dataDirectory),
      objectDirectory(dataDirectory),
    ],
  };
}

/**
 * Gives the task user access to its own directories and read access to shared ones. Changes the owner of
 * existing files once.
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
    await runProgram('chown', ['-R', '-h', `${uid}:${gid}`, roots.managedFs.directory]);
  for (const { directory } of [roots.workspace, roots.objstore]) {
    if ((await stat(directory)).gid === gid) continue;
    await runProgram('chmod', ['-R', 'g+rX', directory]);
    await runProgram('chown', ['-R', '-h', `:${gid}`, directory]);
    await chown(directory, 0, gid);
  }
  if (await canExecute(user, 'test', '-x', roots.runs.directory)) return;
  throw new IsolationError(
    `RUNYARD_TASK_USER is ${JSON.stringify(user.name)}, who cannot enter ${dataDirectory}: allow it with chmod o+x on the directories above.`,
  );
}

/** Creates the directories that library installers write to. */
async function createToolDirectories(dataDirectory: string, user: TaskUser | undefined): Promise<void> {
  for (const name of toolDirectories) {
    const directory = join(libraryDirectory(dataDirectory), name);
    await mkdir(directory, { recursive: true });
    if (user !== undefined && (await stat(directory)).uid !== user.uid)
      await runProgram('chown', ['-R', '-h', `${user.uid}:${user.gid}`, directory]);
  }
}

async function findSystemProgram(name: string): Promise<string | undefined> {
  return findInterpreter(name, { PATH: systemPath });
}

async function canExecute(user: TaskUser, ...command: string[]): Promise<boolean> {
  const [first = '', ...words] = [...toSetprivArgs(user), ...command];
  return !(await runProgram(first, words, { cwd: '/', reject: false })).failed;
}

/** Reads the home directory of a user; undefined when the user has none or it does not exist. */
async function findHomeDirectory(uid: number): Promise<string | undefined> {
  const entry = await runProgram('getent', ['passwd', String(uid)], { reject: false });
  const home = entry.stdout?.split(':')[5] ?? '';
  const exists = await stat(home).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return exists ? home : undefined;
}
