/** Connection to a process that starts supervisors: the spawner of a thread, or the fork server of a cluster. */
import { createInterface } from 'node:readline';
import type { Socket } from 'node:net';
import { codeOf } from '../../engine/errors.ts';
import type { SupervisorRequest } from './start-supervisor.mjs';

/** A supervisor that was started. */
export interface StartedProcess {
  readonly pid: number;
  /** Returns whether it has ended. */
  isOver(): boolean;
  /** Returns whether its end is reported. Otherwise its exit file must be watched. */
  isObserved(): boolean;
}

/**
 * Starts a supervisor.
 * @param onChange called when it ends, and when its end can no longer be reported
 * @throws Error when it cannot be started
 */
export type StartSupervisor = (request: SupervisorRequest, onChange: () => void) => Promise<StartedProcess>;

/** The process at the other end is gone. It may have started the supervisor. */
export class ConnectionLostError extends Error {}

export interface StartConnection {
  /** @throws ConnectionLostError when the connection ends before the answer */
  readonly start: StartSupervisor;
  isLost(): boolean;
}

/** A line from the other end. */
type StartAnswer =
  | { readonly id: number; readonly pid: number }
  | { readonly id: number; readonly error: string }
  | { readonly id: number; readonly ended: true };

/** A start that was requested. */
interface Start {
  readonly onStarted: (pid: number) => void;
  readonly onFailed: (error: Error) => void;
  readonly onChange: () => void;
  pid: number | undefined;
  state: 'running' | 'over' | 'unobserved';
}

/** Speaks with the other end in lines of JSON. The sockets keep this thread alive only while a start is awaited. */
export function openStartConnection(input: Socket, output: Socket): StartConnection {
  const starts = new Map<number, Start>();
  let isLost = false;
  let last = 0;
  const awaitAnswers = countWaiting(output);
  const loseAll = (): void => {
    isLost = true;
    const lost = [...starts.values()];
    starts.clear();
    lost.forEach(loseStart);
  };
  for (const socket of new Set([input, output])) {
    socket.on('error', loseAll).on('close', loseAll);
    socket.unref();
  }
  createInterface({ input: output }).on('line', (line) => {
    const answer: StartAnswer = JSON.parse(line);
    const start = starts.get(answer.id);
    if (start === undefined) return;
    if ('pid' in answer) return start.onStarted(answer.pid);
    starts.delete(answer.id);
    if ('error' in answer) return start.onFailed(new Error(answer.error));
    start.state = 'over';
    start.onChange();
  });
  return {
    isLost: () => isLost,
    start: (request, onChange) =>
      awaitAnswers(
        new Promise<StartedProcess>((resolve, reject) => {
          const id = (last += 1);
          const start: Start = {
            onStarted(pid) {
              start.pid = pid;
              resolve({ pid, isOver: () => isOver(start), isObserved: () => start.state !== 'unobserved' });
            },
            onFailed: reject,
            onChange,
            pid: undefined,
            state: 'running',
          };
          if (isLost) return loseStart(start);
          starts.set(id, start);
          input.write(`${JSON.stringify({ id, request })}\n`);
        }),
      ),
  };
}

/** Returns a function that keeps the thread alive until a promise is settled. */
function countWaiting(socket: Socket): <Result>(promise: Promise<Result>) => Promise<Result> {
  let waiting = 0;
  return async (promise) => {
    waiting += 1;
    socket.ref();
    try {
      return await promise;
    } finally {
      waiting -= 1;
      if (waiting === 0) socket.unref();
    }
  };
}

/** Ends the observation of a start after the loss of its connection. */
function loseStart(start: Start): void {
  if (start.pid === undefined) return start.onFailed(new ConnectionLostError('The connection was lost.'));
  start.state = 'unobserved';
  start.onChange();
}

function isOver({ state, pid = 0 }: Start): boolean {
  return state === 'over' || (state === 'unobserved' && !exists(pid));
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
