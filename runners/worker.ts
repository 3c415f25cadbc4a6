/** Runs attempts in a pool thread: builds the context that the contract promises, and catches whatever a runner throws. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../engine/errors.ts';
import { askEngine } from './ask-engine.ts';
import { createBell } from './bell.ts';
import type { Outcome, RunnerContext } from './contract.ts';
import { findInterpreter, taskEnvironment } from './environment.ts';
import type { AttemptRequest, FromRunner } from './messages.ts';
import { endMarked } from './process-group.ts';
import { exec } from './process.ts';
import { runTask } from './registry.ts';
import { writeInOneStep } from './settle-command.ts';

/** One attempt, from its assignment to its outcome. Never throws: an error would lose its meaning between threads. */
export async function runAttempt(request: AttemptRequest): Promise<Outcome> {
  const { assignment, port } = request;
  try {
    return await runTask(assignment.kind, assignment.task, await contextOf(request));
  } catch (error) {
    // The run ends here: what its process might still do, nobody would wait for.
    await endMarked(assignment.directory, createBell()).catch(() => undefined);
    return { kind: 'lost', message: `The runner of ${assignment.kind} failed: ${messageOf(error)}` };
  } finally {
    port.close();
  }
}

async function contextOf({ assignment, settings, port, stopped }: AttemptRequest): Promise<RunnerContext> {
  const stop = new AbortController();
  if (stopped) stop.abort();
  const ask = askEngine(port, () => stop.abort());
  const { directory } = assignment;
  const work = join(directory, 'work');
  const temporary = join(directory, 'tmp');
  await Promise.all([mkdir(work, { recursive: true }), mkdir(temporary, { recursive: true })]);
  const environment = taskEnvironment(settings, assignment, temporary);
  return {
    ...assignment,
    limits: settings.limits,
    signal: stop.signal,
    exec: (command, name = 'main') => exec({
      directory: name === 'main' ? directory : join(directory, name),
      attemptDirectory: directory,
      argv: command.argv,
      cwd: command.cwd ?? work,
      env: { ...environment, ...command.env },
      stopGraceMs: settings.stopGraceMs,
      logBytesMax: settings.logBytesMax,
    }, stop.signal),
    locate: (uri, what = 'file') => ask.locate(uri, what),
    launchJob: (request, { key, signal }) => ask.launch(request, key, signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal])),
    interpreter: (program) => findInterpreter(program, environment),
    writeOutput: (output) => writeInOneStep(join(directory, 'output.json'), JSON.stringify(output)),
    log: (line) => port.postMessage({ type: 'log', line } satisfies FromRunner),
  };
}
