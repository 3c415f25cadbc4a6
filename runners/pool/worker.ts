/** Runs attempts in a pool thread: creates their contexts, and converts exceptions to outcomes. */
import { mkdirSync } from 'node:fs';
import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../engine/errors.ts';
import type { TaskAssignment } from '../../engine/run/assignment.ts';
import { toKnownPaths, withKnownPaths } from '../../engine/run/known-paths.ts';
import { createEngineClient } from './engine-client.ts';
import { createWakeSignal } from '../wake-signal.ts';
import type { Command, TaskOutcome, RunnerContext } from '../contract.ts';
import { findInterpreter, taskEnvironment } from '../process/task-environment.ts';
import { grantOwnership, shareDirectory } from './directory-ownership.ts';
import { applyIsolation, type TaskUser } from '../process/isolation.ts';
import type { AttemptRequest, RunnerMessage, RunnerSettings } from './thread-messages.ts';
import { resolveMountedArguments } from '../process/mounted-arguments.ts';
import { killMarkedProcesses } from '../process/process-group.ts';
import { exec, type ProcessSpec } from '../process/exec.ts';
import type { StartSupervisor } from '../process/start-connection.ts';
import { createSpawner } from '../process/spawner.ts';
import { createWarmStarts } from '../warm/warm-start.ts';
import { runTask } from '../kind-registry.ts';
import { openSparkAttempt, type SparkAttempt } from '../spark/spark-attempt.ts';
import { writeFileAtomically } from '../process/pinned-command.ts';

/** Of this thread: its process is started with the first process of an attempt. */
const spawner = createSpawner();
const warmStarts = createWarmStarts();

/** Runs one attempt. Never throws, because errors lose their type between threads. */
export async function runAttempt(request: AttemptRequest): Promise<TaskOutcome> {
  const { kind, task } = request.assignment;
  return runWithContext(request, (context) => runTask(kind, task, context));
}

/** Runs one attempt with the given function. Never throws. */
export async function runWithContext(
  request: AttemptRequest,
  run: (context: RunnerContext) => Promise<TaskOutcome>,
): Promise<TaskOutcome> {
  const { assignment, port } = request;
  let spark: SparkAttempt | undefined;
  try {
    const { directory } = assignment;
    const temporary = join(directory, 'tmp');
    const environment = taskEnvironment(request.settings, assignment, temporary);
    spark = await openSparkAttempt(assignment, environment, temporary);
    const context = createContext(request, { ...environment, ...spark?.variables }, spark);
    return withKnownPaths(request.settings.knownPaths ?? [], await run(context));
  } catch (error) {
    // The task ends here, so its remaining processes must not continue.
    await killMarkedProcesses(assignment.directory, createWakeSignal()).catch(() => undefined);
    const message = `The runner of ${assignment.kind} failed: ${messageOf(error)}`;
    return { kind: 'lost', message: toKnownPaths(request.settings.knownPaths ?? [], message) };
  } finally {
    await spark?.close().catch(() => undefined);
    port.close();
  }
}

function createContext(
  request: AttemptRequest,
  environment: Readonly<Record<string, string>>,
  spark: SparkAttempt | undefined,
): RunnerContext {
  const { assignment, settings, port, stopRequested } = request;
  const { user } = settings.isolation;
  const stop = new AbortController();
  if (stopRequested) stop.abort();
  const engine = createEngineClient(port, () => stop.abort());
  const { directory, cluster } = assignment;
  const work = join(directory, 'work');
  const temporary = join(directory, 'tmp');
  const writable = [directory, ...(cluster === undefined ? [] : [cluster.directory])];
  return {
    ...assignment,
    limits: settings.limits,
    signal: stop.signal,
    environment,
    async exec(command, name = 'main') {
      const own = name === 'main' ? directory : join(directory, validateProcessName(name));
      const cwd = command.cwd ?? work;
      // Made with the first process: an attempt without one needs no directories.
      for (const needed of [work, temporary]) mkdirSync(needed, { recursive: true });
      if (user !== undefined) await grantAttemptOwnership(own, request.assignment, user);
      const program = { argv: argumentsOf(command, settings), env: { ...environment, ...command.env } };
      const exit = await exec(
        {
          directory: own,
          attemptDirectory: directory,
          ...applyIsolation(settings.isolation, program, { temporary, cwd, writable }, cluster?.nodeType),
          cwd,
          stopGraceMs: settings.stopGraceMs,
          logBytesMax: settings.logBytesMax,
          lostNeed: spark?.driverLost,
        },
        stop.signal,
        name === 'main' ? chooseStart(request, program) : spawner.start,
      );
      return spark?.explain(exit) ?? exit;
    },
    locate: (uri, what = 'file') => engine.locate(uri, what),
    launchJob: (launched, { key, signal }) =>
      engine.launchChildRun(
        launched,
        key,
        signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]),
      ),
    interpreter: (program) => findInterpreter(program, environment, settings.isolation),
    writeOutput: (output) =>
      writeFileAtomically(
        join(directory, 'output.json'),
        JSON.stringify(withKnownPaths(settings.knownPaths ?? [], output)),
      ),
    log: (line) => port.postMessage({ type: 'log', line } satisfies RunnerMessage),
  };
}

/** Returns the starter of the main process of an attempt: warm where its cluster and its program allow it. */
function chooseStart(
  { assignment, settings }: AttemptRequest,
  program: Pick<ProcessSpec, 'argv' | 'env'>,
): StartSupervisor {
  const { isolation, logBytesMax, warmImports = [] } = settings;
  const warm = { assignment, ...program, isolation, logBytesMax, imports: warmImports };
  return warmStarts(warm, spawner.start) ?? spawner.start;
}

/** Returns the arguments of a command; a sandbox has the mount points of managed_fs itself. */
function argumentsOf({ argv }: Command, settings: RunnerSettings): Command['argv'] {
  const managedFs = settings.taskEnvironment['RUNYARD_MANAGED_FS'];
  return settings.isolation.sandbox !== undefined || managedFs === undefined
    ? argv
    : resolveMountedArguments(argv, managedFs);
}

/** Makes the user of the task the owner of the directories that it writes to. */
async function grantAttemptOwnership(
  own: string,
  { directory, cluster }: TaskAssignment,
  user: TaskUser,
): Promise<void> {
  await mkdir(own, { recursive: true });
  // An earlier process of the attempt can replace it, because it owns the parent directory.
  if (!(await lstat(own)).isDirectory()) throw new Error(`${own} is not a directory; the task replaced it.`);
  await grantOwnership(directory, user);
  if (own !== directory) await grantOwnership(own, user);
  if (cluster !== undefined) await shareDirectory(cluster.directory, user);
}

/** Validates the name of a process, which becomes a directory of the attempt. */
function validateProcessName(name: string): string {
  if (/^[A-Za-z0-9_-]{1,60}$/.test(name) && !['work', 'tmp'].includes(name)) return name;
  throw new Error(
    `The process name ${JSON.stringify(name)} is invalid; it must consist of letters, digits, "_" and "-", and not be "work" or "tmp".`,
  );
}
