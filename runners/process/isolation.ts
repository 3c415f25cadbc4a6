/**
 * How the processes of tasks are kept apart from the service and from one another: limits of the system,
 * another user, a sandbox. Plain data, made at the start and handed to the threads; here it becomes words of
 * a command line.
 */
import type { NodeType } from '../../engine/cluster/node-types.ts';
import { isSecretName } from '../../engine/validation/secret-names.ts';
import type { ProcessSpec } from './exec.ts';

/** Most that each process of a task may use. What is absent is not limited beyond what the system does. */
export interface TaskLimits {
  /**
   * Data of a process, in MB: memory that is its own and can be written. The size of a known node type limits
   * it further.
   */
  readonly memoryMb?: number;
  /** Processor time, in seconds. */
  readonly cpuSeconds?: number;
  /** Known node types limit it further, to 4,096 for each core. */
  readonly openFiles?: number;
  /** Processes of the user of tasks, all tasks together. */
  readonly processes?: number;
}

/** The user of the operating system that tasks run as. */
export interface TaskUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  /** Undefined when it has none: the working directory stands in. */
  readonly home: string | undefined;
  /** Absolute path of setpriv. */
  readonly setprivPath: string;
}

/** What tasks see of this machine: its system read-only, and of the service what is named here. */
export interface Sandbox {
  /** Absolute path of bwrap. */
  readonly bwrapPath: string;
  /** Seen, not changed. */
  readonly readOnly: readonly string[];
  /** Seen as empty directories. */
  readonly hidden: readonly string[];
  /** Seen and changed, within what is hidden; read-only within the same. */
  readonly shared: readonly string[];
  readonly sharedReadOnly: readonly string[];
}

export interface Isolation {
  readonly limits: TaskLimits;
  readonly user: TaskUser | undefined;
  readonly sandbox: Sandbox | undefined;
}

/** Tasks as the user of the service, within no limits but those of their nodes. */
export const noIsolation: Isolation = { limits: {}, user: undefined, sandbox: undefined };

/** What becomes another user before anything of the task runs; none when tasks run as the service does. */
export function toSetprivArgs(user: TaskUser | undefined): readonly string[] {
  if (user === undefined) return [];
  const { setprivPath, uid, gid } = user;
  return [
    setprivPath,
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--init-groups',
    '--inh-caps=-all',
    '--ambient-caps=-all',
    '--bounding-set=-all',
    '--no-new-privs',
    '--',
  ];
}

/**
 * Variables by which whoever starts a program chooses code that runs in it before its own: for loaders, and
 * for shells.
 */
const codeLoadingPattern =
  /^(?:LD_|MALLOC_|BASH_|SHELLOPTS$|ENV$|GCONV_PATH$|GLIBC_TUNABLES$|LOCPATH$|NLSPATH$)/;

/** None of them sounds like a secret; what does must stand on no command line. */
function isCodeLoadingVariable(name: string): boolean {
  return codeLoadingPattern.test(name) && !isSecretName(name);
}

/**
 * A program as it is started within an isolation; everything else of its spec stays as it is.
 * @param nodeType of the node that it runs on, whose size limits it further
 */
export function applyIsolation(
  isolation: Isolation,
  { argv, env }: Pick<ProcessSpec, 'argv' | 'env'>,
  places: SandboxPaths,
  nodeType?: NodeType,
): Pick<ProcessSpec, 'argv' | 'env' | 'runAs' | 'limits'> {
  const limits = toUlimitArgs(isolation, nodeType);
  if (isolation.user === undefined && isolation.sandbox === undefined)
    return { argv, env, runAs: [], limits };
  // What leads into the isolation still has rights that the program must not have: such variables reach the
  // program alone.
  const [outer, inner] = [false, true].map((isInner) =>
    Object.entries(env).filter(([name]) => isCodeLoadingVariable(name) === isInner),
  );
  const setting = (inner ?? []).map(([name, value]) => `${name}=${value}`);
  const [first = argv[0], ...words] = [
    ...toSandboxArgs(isolation.sandbox, places),
    ...(setting.length === 0 ? [] : ['/usr/bin/env', ...setting]),
    ...argv,
  ];
  return {
    argv: [first, ...words],
    env: Object.fromEntries(outer ?? []),
    runAs: toSetprivArgs(isolation.user),
    limits,
  };
}

/**
 * Open files of a process, for each core of its node: far more than programs have, far less than a machine.
 */
const openFilesPerCore = 4_096;

/** The words of `ulimit`, option and value by turns, as the supervisor takes them. */
function toUlimitArgs({ limits }: Isolation, nodeType: NodeType | undefined): string {
  const memory = Math.min(limits.memoryMb ?? Infinity, nodeType?.memory_mb ?? Infinity);
  const files = Math.min(
    limits.openFiles ?? Infinity,
    nodeType === undefined ? Infinity : nodeType.num_cores * openFilesPerCore,
  );
  const words = [
    ...(Number.isFinite(memory) ? ['-d', memory * 1_024] : []),
    ...(limits.cpuSeconds === undefined ? [] : ['-t', limits.cpuSeconds]),
    ...(Number.isFinite(files) ? ['-n', files] : []),
    // Shells disagree on its letter; the one that a shell does not have changes nothing.
    ...(limits.processes === undefined ? [] : ['-u', limits.processes, '-p', limits.processes]),
  ];
  return words.join(' ');
}

/** The directories of one program. */
export interface SandboxPaths {
  /** Stands in for /tmp; without one it is empty, and goes with the program. */
  readonly temporary?: string;
  readonly cwd: string;
  /** Seen and changed, within what is hidden. */
  readonly writable: readonly string[];
}

/** The words that put a program into the sandbox; none without one. */
function toSandboxArgs(
  sandbox: Sandbox | undefined,
  { temporary, cwd, writable }: SandboxPaths,
): readonly string[] {
  if (sandbox === undefined) return [];
  const bind =
    (option: string) =>
    (path: string): string[] => [option, path, path];
  return [
    // Without a look at the processes outside, whose signals it could send. What ends the attempt stays
    // outside, and reaches inside.
    sandbox.bwrapPath,
    '--unshare-pid',
    '--unshare-ipc',
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    ...(temporary === undefined ? ['--tmpfs', '/tmp'] : ['--bind', temporary, '/tmp']),
    ...sandbox.readOnly.flatMap(bind('--ro-bind-try')),
    ...sandbox.hidden.flatMap((path) => ['--tmpfs', path]),
    ...sandbox.sharedReadOnly.flatMap(bind('--ro-bind-try')),
    ...sandbox.shared.flatMap(bind('--bind-try')),
    ...writable.flatMap(bind('--bind')),
    '--chdir',
    cwd,
    '--',
  ];
}
