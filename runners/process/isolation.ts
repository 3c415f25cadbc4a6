/**
 * Isolation of task processes: resource limits, another user, a sandbox. The settings are plain data that is
 * passed to the threads; this module converts them to command lines.
 */
import type { NodeType } from '../../engine/cluster/node-types.ts';
import { isSecretName } from '../../engine/validation/secret-names.ts';
import type { ProcessSpec } from './exec.ts';

/** Resource limits of each process of a task. An absent one is limited only by the system. */
export interface TaskLimits {
  /** Private writable memory of a process, in MB. The size of a known node type limits it further. */
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
  /** Undefined for a user without one, who gets the working directory. */
  readonly home: string | undefined;
  /** Absolute path of setpriv. */
  readonly setprivPath: string;
}

/** Entry of the top directory of this machine. */
export interface SystemEntry {
  /** Absolute path. */
  readonly path: string;
  /** Target of a symbolic link. */
  readonly linkTo?: string;
}

/** Directory that tasks see at a second path. */
export interface MountedDirectory {
  readonly directory: string;
  /** Absolute path; not below another entry of the top directory. */
  readonly at: string;
}

/**
 * File system that tasks see. `isolated`: the system is read-only, and of the service only the listed
 * directories are visible. Otherwise it is that of the machine, with the mounted directories.
 */
export interface Sandbox {
  /** Absolute path of bwrap. */
  readonly bwrapPath: string;
  readonly isolated: boolean;
  readonly system: readonly SystemEntry[];
  /** Visible and writable. */
  readonly mounted: readonly MountedDirectory[];
  /** Visible, read-only. */
  readonly readOnly: readonly string[];
  /** Visible as empty directories. */
  readonly hidden: readonly string[];
  /** Visible and writable inside hidden directories; the next field lists read-only ones. */
  readonly shared: readonly string[];
  readonly sharedReadOnly: readonly string[];
}

export interface Isolation {
  readonly limits: TaskLimits;
  readonly user: TaskUser | undefined;
  readonly sandbox: Sandbox | undefined;
}

/** Tasks run as the user of the service, limited only by their nodes. */
export const noIsolation: Isolation = { limits: {}, user: undefined, sandbox: undefined };

/** Returns the command prefix that switches to the user of tasks; empty without one. */
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

/** Environment variables that make loaders and shells run other code before the program. */
const codeLoadingPattern =
  /^(?:LD_|MALLOC_|BASH_|SHELLOPTS$|ENV$|GCONV_PATH$|GLIBC_TUNABLES$|LOCPATH$|NLSPATH$)/;

/** Returns the names of variables that act on the program before it runs, and not on the commands before it. */
export function codeLoadingVariables(env: Readonly<Record<string, string>>): string[] {
  return Object.keys(env).filter(isCodeLoadingVariable);
}

/** Excludes secrets, which must not appear on a command line. */
function isCodeLoadingVariable(name: string): boolean {
  return codeLoadingPattern.test(name) && !isSecretName(name);
}

/**
 * Applies an isolation to a program.
 * @param nodeType type of its node, whose size limits the program further
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
  // The commands that set up the isolation have more rights than the program, so only the program gets these
  // variables.
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

/** Open files of a process for each core of its node: more than programs need, less than a machine has. */
const openFilesPerCore = 4_096;

/** Returns options and values of `ulimit`, alternating, as the supervisor expects them. */
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
    // Shells use different letters for this limit and ignore unknown ones.
    ...(limits.processes === undefined ? [] : ['-u', limits.processes, '-p', limits.processes]),
  ];
  return words.join(' ');
}

/** Directories of one program. */
export interface SandboxPaths {
  /** Mounted as /tmp; without it /tmp is empty and temporary. */
  readonly temporary?: string;
  readonly cwd: string;
  /** Visible and writable inside hidden directories. */
  readonly writable: readonly string[];
}

/** Returns the command prefix that starts the sandbox; empty without one. */
function toSandboxArgs(sandbox: Sandbox | undefined, places: SandboxPaths): readonly string[] {
  if (sandbox === undefined) return [];
  const { bwrapPath, isolated, system, mounted } = sandbox;
  // Mount points cannot be created in a read-only root, so the root is a new one with the entries of the old.
  return [
    bwrapPath,
    ...system.flatMap(({ path, linkTo }) => {
      if (linkTo !== undefined) return ['--symlink', linkTo, path];
      return [isolated ? '--ro-bind-try' : '--dev-bind-try', path, path];
    }),
    ...(isolated ? toIsolatedArgs(sandbox, places) : []),
    ...mounted.flatMap(({ directory, at }) => ['--bind-try', directory, at]),
    '--remount-ro',
    '/',
    '--chdir',
    places.cwd,
    '--',
  ];
}

function toIsolatedArgs(
  { readOnly, hidden, shared, sharedReadOnly }: Sandbox,
  { temporary, writable }: SandboxPaths,
): readonly string[] {
  const bind =
    (option: string) =>
    (path: string): string[] => [option, path, path];
  return [
    // The program sees and signals no processes outside; the supervisor outside can still end those inside.
    '--unshare-pid',
    '--unshare-ipc',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    ...(temporary === undefined ? ['--tmpfs', '/tmp'] : ['--bind', temporary, '/tmp']),
    ...readOnly.flatMap(bind('--ro-bind-try')),
    ...hidden.flatMap((path) => ['--tmpfs', path]),
    ...sharedReadOnly.flatMap(bind('--ro-bind-try')),
    ...shared.flatMap(bind('--bind-try')),
    ...writable.flatMap(bind('--bind')),
  ];
}
