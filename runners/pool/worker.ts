/**
 * Runs attempts in a pool thread: builds the context that the contract promises, and catches whatever a
 * runner throws.
 */
import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../engine/errors.ts';
import type { TaskAssignment } from '../../engine/run/assignment.ts';
import { createEngineClient } from './engine-client.ts';
import { createWakeSignal } from '../wake-signal.ts';
import type { TaskOutcome, RunnerContext } from '../contract.ts';
import { findInterpreter, taskEnvironment } from '../process/task-environment.ts';
import { grantOwnership, shareDirectory } from './directory-ownership.ts';
import { applyIsolation, type TaskUser } from '../process/isolation.ts';
import type { AttemptRequest, RunnerMessage } from './thread-messages.ts';
import { killMarkedProcesses } from '../process/process-group.ts';
import { exec } from '../process/exec.ts';
import { runTask } from '../kind-registry.ts';
import { writeFileAtomically } from '../process/pinned-command.ts';

/**
 * One attempt, from its assignment to its outcome. Never throws: an error would lose its meaning between
 * threads.
 */
export async function runAttempt(request: AttemptRequest): Promise<TaskOutcome> {
  const { kind, task } = request.assignment;
  return runWithContext(request, (context) => runTask(kind, task, context));
}

/** One attempt with whatever runs it. Never throws. */
export async function runWithContext(
  request: AttemptRequest,
  run: (context: RunnerContext) => Promise<TaskOutcome>,
): Promise<TaskOutcome> {
  const { assignment, port } = request;
  try {
    return await run(await createContext(request));
  } catch (error) {
    // The run ends here: what its process might still do, nobody would wait for.
    await killMarkedProcesses(assignment.directory, createWakeSignal()).catch(() => undefined);
    return { kind: 'lost', message: `The runner of ${assignment.kind} failed: ${messageOf(error)}` };
  } finally {
    port.close();
  }
}

async function createContext(request: AttemptRequest): Promise<RunnerContext> {
  const { assignment, settings, port, stopRequested } = request;
  const { user } = settings.isolation;
  const stop = new AbortController();
  if (stopRequested) stop.abort();
  const ask = createEngineClient(port, () => stop.abort());
  const { directory, cluster } = assignment;
  const work = join(directory, 'work');
  const temporary = join(directory, 'tmp');
  await Promise.all([mkdir(work, { recursive: true }), mkdir(temporary, { recursive: true })]);
  const environment = taskEnvironment(settings, assignment, temporary);
  return {
    ...assignment,
    limits: settings.limits,
    signal: stop.signal,
    environment,
    async exec(command, name = 'main') {
      const own = name === 'main' ? directory : join(directory, validateProcessName(name));
      const cwd = command.cwd ?? work;
      if (user !== undefined) await grantAttemptOwnership(own, request.assignment, user);
      return exec(
        {
          directory: own,
          attemptDirectory: directory,
          ...applyIsolation(
            settings.isolation,
            { argv: command.argv, env: { ...environment, ...command.env } },
            { temporary, cwd, writable: [directory, ...(cluster === undefined ? [] : [cluster.directory])] },
            cluster?.nodeType,
          ),
          cwd,
          stopGraceMs: settings.stopGraceMs,
          logBytesMax: settings.logBytesMax,
        },
        stop.signal,
      );
    },
    locate: (uri, what = 'file') => ask.locate(uri, what),
    launchJob: (launched, { key, signal }) =>
      ask.launchChildRun(
        launched,
        key,
        signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]),
      ),
    interpreter: (program) => findInterpreter(program, environment, settings.isolation),
    writeOutput: (output) => writeFileAtomically(join(directory, 'output.json'), JSON.stringify(output)),
    log: (line) => port.postMessage({ type: 'log', line } satisfies RunnerMessage),
  };
}

/** The user that the task runs as owns the directories that it writes in. */
async function grantAttemptOwnership(
  own: string,
  { directory, cluster }: TaskAssignment,
  user: TaskUser,
): Promise<void> {
  await mkdir(own, { recursive: true });
  // An earlier process of the attempt owns the directory around it.
  if (!(await lstat(own)).isDirectory())
    throw new Error(`${own} is no directory any more: the task has replaced it.`);
  await grantOwnership(directory, user);
  if (own !== directory) await grantOwnership(own, user);
  if (cluster !== undefined) await shareDirectory(cluster.directory, user);
}

/** A name that is a directory of the attempt, and none of those that are there anyhow. */
function validateProcessName(name: string): string {
  if (/^[A-Za-z0-9_-]{1,60}$/.test(name) && !['work', 'tmp'].includes(name)) return name;
  throw new Error(
    `A process cannot be named ${JSON.stringify(name)}: its name is made of letters, digits, "_" and "-", and not "work" or "tmp".`,
  );
}
