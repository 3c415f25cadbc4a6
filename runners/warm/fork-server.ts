/**
 * The fork server of a cluster: a process with imported Python modules, from which tasks are forked. It is a process
 * like those of tasks: it survives the engine, and later engines find it by the files in its directory.
 */
import { closeSync, constants, existsSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAlive } from '../../engine/process-identity.ts';
import { grantOwnership, shareDirectory } from '../pool/directory-ownership.ts';
import { startProcess } from '../process/exec.ts';
import { applyIsolation, type Isolation } from '../process/isolation.ts';
import { readClaim, readExitCode } from '../process/process-state.ts';
import {
  openStartConnection,
  type StartConnection,
  type StartSupervisor,
} from '../process/start-connection.ts';

/** A fork server to find or start. */
export interface ForkServerSpec {
  /** Parent of the directories of its instances, below that of the cluster. */
  readonly parent: string;
  /** Directory of the cluster, with which its processes are marked. */
  readonly clusterDirectory: string;
  /** Absolute path of the Python interpreter. */
  readonly python: string;
  /** Complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Modules to import, and directories in which they are searched for first. */
  readonly imports: readonly string[];
  readonly path: readonly string[];
  readonly isolation: Isolation;
  readonly logBytesMax: number;
}

const program = fileURLToPath(new URL('./fork_server.py', import.meta.url));
const socketName = 'socket';

/** A server that ends again and again is started no more than this often; tasks then start cold. */
const instancesMax = 10;

/** Space for the mark of a task, which is the path of a directory. */
const reservedBytes = 4_128;

/** Directory of an instance that lives. `isStarting`: it does not accept connections yet. */
interface Instance {
  readonly directory: string;
  readonly isStarting: boolean;
}

/**
 * Connects to the fork server. Without one, starts it and resolves with undefined as soon as its process exists: the
 * task that asks does not wait for the imports.
 */
export async function connectForkServer(
  spec: ForkServerSpec,
  start: StartSupervisor,
): Promise<StartConnection | undefined> {
  const count = countInstances(spec.parent);
  const instance = await findInstance(spec.parent, count);
  if (instance === undefined) {
    if (count < instancesMax) await startForkServer(spec, join(spec.parent, String(count + 1)), start);
    return undefined;
  }
  return instance.isStarting ? undefined : connectTo(instance.directory);
}

function countInstances(parent: string): number {
  if (!existsSync(parent)) return 0;
  return Math.max(0, ...readdirSync(parent).map(Number).filter(Number.isSafeInteger));
}

async function findInstance(parent: string, count: number): Promise<Instance | undefined> {
  if (count === 0) return undefined;
  const directory = join(parent, String(count));
  const claim = readClaim(directory);
  // Another thread or engine is starting it.
  if (claim === undefined || claim === 'unfilled') return { directory, isStarting: true };
  if (claim === 'prevented' || readExitCode(directory) !== undefined || !(await isAlive(claim)))
    return undefined;
  return { directory, isStarting: !existsSync(join(directory, socketName)) };
}

async function startForkServer(
  spec: ForkServerSpec,
  directory: string,
  start: StartSupervisor,
): Promise<void> {
  const { clusterDirectory, python, imports, path, isolation, logBytesMax } = spec;
  const { user } = isolation;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (user !== undefined) {
    await shareDirectory(clusterDirectory, user);
    await grantOwnership(join(clusterDirectory, 'warm'), user);
  }
  const { argv, env, runAs } = applyIsolation(
    // Its programs set their limits themselves: it would use up a limit of processor time.
    { ...isolation, limits: {} },
    {
      argv: [python, program, JSON.stringify({ imports, path })],
      env: { ...spec.env, RUNYARD_WARM_RESERVED: '_'.repeat(reservedBytes) },
    },
    { cwd: directory, writable: [] },
  );
  const process = { directory, attemptDirectory: clusterDirectory, cwd: directory, argv, env, runAs };
  await startProcess({ ...process, stopGraceMs: 0, logBytesMax }, start);
}

/** Connects to the socket of a directory; undefined when nothing accepts. */
function connectTo(directory: string): Promise<StartConnection | undefined> {
  // A path of any length: the address of a socket has space for about a hundred bytes.
  const opened = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  return new Promise<Socket | undefined>((resolve) => {
    const socket = connect(`/proc/self/fd/${opened}/${socketName}`);
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(undefined));
  })
    .then((socket) => (socket === undefined ? undefined : openStartConnection(socket, socket)))
    .finally(() => closeSync(opened));
}
