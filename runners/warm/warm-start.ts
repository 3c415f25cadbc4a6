/**
 * Warm starts of Python programs: on a cluster with `runtime: "warm"`, the process of a task is forked from the fork
 * server of the cluster. Everything else is as for a cold start.
 */
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TaskAssignment } from '../../engine/run/assignment.ts';
import type { Command } from '../contract.ts';
import { codeLoadingVariables, type Isolation } from '../process/isolation.ts';
import {
  ConnectionLostError,
  type StartConnection,
  type StartSupervisor,
} from '../process/start-connection.ts';
import { connectForkServer, type ForkServerSpec } from './fork-server.ts';

/** Facts about a program that decide whether and how it starts warm. */
export interface WarmProgram {
  readonly assignment: Pick<TaskAssignment, 'kind' | 'directory' | 'cluster'>;
  /** Before the isolation is applied. */
  readonly argv: Command['argv'];
  /** Complete environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  readonly isolation: Isolation;
  readonly logBytesMax: number;
  /** Modules that the configuration names. */
  readonly imports: readonly string[];
}

/** Creates the starter of a program; undefined for a program that starts cold. */
export type WarmStarts = (program: WarmProgram, startCold: StartSupervisor) => StartSupervisor | undefined;

const notebookDirectory = join(dirname(fileURLToPath(import.meta.url)), '..', 'notebook');

/** Kinds of tasks that can start warm, with the modules of their own that the fork server imports. */
const warmKinds: Readonly<Record<string, Pick<ForkServerSpec, 'imports' | 'path'>>> = {
  spark_python_task: { imports: [], path: [] },
  notebook_task: {
    imports: ['runyard_driver.session', 'runyard_driver.report', 'runyard_driver.jupyter', 'faulthandler'],
    path: [notebookDirectory],
  },
};

/** Variables that differ between the tasks of a cluster. */
const taskVariables: ReadonlySet<string> = new Set([
  'RUNYARD_JOB_ID',
  'RUNYARD_JOB_RUN_ID',
  'RUNYARD_RUN_ID',
  'RUNYARD_TASK_KEY',
]);

/** Creates the warm starts of a thread, which keeps its connections. */
export function createWarmStarts(): WarmStarts {
  const connections = new Map<string, StartConnection>();
  return (program, startCold) => {
    const spec = forkServerOf(program);
    if (spec === undefined) return undefined;
    return async (request, onChange) => {
      const connection = await connectOnce(connections, spec, startCold);
      if (connection === undefined) return startCold(request, onChange);
      try {
        return await connection.start({ ...request, argv: program.argv, env: program.env }, onChange);
      } catch (error) {
        if (!(error instanceof ConnectionLostError)) throw error;
        // The claim of the attempt lets only one of two supervisors run the program.
        return startCold(request, onChange);
      }
    };
  };
}

async function connectOnce(
  connections: Map<string, StartConnection>,
  spec: ForkServerSpec,
  startCold: StartSupervisor,
): Promise<StartConnection | undefined> {
  const known = connections.get(spec.parent);
  if (known?.isLost() === false) return known;
  connections.delete(spec.parent);
  const connection = await connectForkServer(spec, startCold);
  if (connection !== undefined) connections.set(spec.parent, connection);
  return connection;
}

/** Returns the fork server of a program; undefined for a program that cannot be forked from one. */
function forkServerOf({
  assignment: { kind, directory, cluster },
  argv: [python, script],
  env,
  isolation,
  logBytesMax,
  imports,
}: WarmProgram): ForkServerSpec | undefined {
  const own = warmKinds[kind];
  const isForkable =
    process.platform === 'linux' &&
    cluster?.runtime === 'warm' &&
    cluster.spark === undefined &&
    isolation.sandbox === undefined &&
    (isolation.user === undefined || codeLoadingVariables(env).length === 0) &&
    basename(python).startsWith('python') &&
    script?.endsWith('.py') === true &&
    // As the server itself: the streams of a fork are those of the server.
    env['PYTHONUNBUFFERED'] === '1';
  if (!isForkable || own === undefined) return undefined;
  const common = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => !taskVariables.has(name) && !value.includes(directory)),
  );
  const server = { python, env: common, imports: [...own.imports, ...imports], path: own.path };
  const { directory: clusterDirectory } = cluster;
  const parent = join(clusterDirectory, 'warm', keyOf({ ...server, user: isolation.user?.name }));
  return { ...server, parent, clusterDirectory, isolation, logBytesMax };
}

/** A program with another environment needs another server. */
function keyOf(server: Readonly<Record<string, unknown>>): string {
  return createHash('sha256').update(JSON.stringify(server)).digest('hex').slice(0, 16);
}
