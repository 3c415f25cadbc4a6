/** Hands attempts to Piscina threads, and survives the death of one: attempts are asked for again and attach. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { messageOf } from '../engine/errors.ts';
import type { Log, TaskDoor, TaskPool } from '../engine/ports.ts';
import type { Outcome, TaskAssignment } from '../engine/run/assignment.ts';
import { createBell } from './bell.ts';
import type { Sought } from './contract.ts';
import type { AttemptRequest, FromEngine, FromRunner, RunnerSettings } from './messages.ts';
import { endMarked } from './process-group.ts';

export interface PoolOptions {
  readonly threads: number;
  /** Attempts that one thread looks after at a time: a thread waits for processes, it does not compute. */
  readonly attemptsPerThread: number;
  readonly settings: RunnerSettings;
  /** Finds a file named in a task. @throws ServiceError fit for the run's state */
  readonly locate: (uri: string, what: Sought) => Promise<string>;
  readonly log: Log;
  /** What runs in the threads; tests give one that dies. */
  readonly worker?: URL;
}

export interface ClosablePool extends TaskPool {
  /** Lets go of every attempt: processes go on, and no outcome follows. */
  close(): Promise<void>;
}

/** Room for what a thread has just made, in MB; collected when it is full. */
const youngGenerationMb = 8;

/** How often an attempt is asked for again after its thread has died, before the engine gives it up. */
const triesMax = 5;

export function createTaskPool(options: PoolOptions): ClosablePool {
  const piscina = new Piscina<AttemptRequest, Outcome>({
    filename: (options.worker ?? new URL('./worker.ts', import.meta.url)).href,
    name: 'runAttempt',
    minThreads: 1,
    maxThreads: options.threads,
    concurrentTasksPerWorker: options.attemptsPerThread,
    // A thread that keeps timers and sockets must not be put to sleep between tasks.
    atomics: 'disabled',
    // A thread that waits for processes makes little garbage: without a bound it would let that little grow to tens of megabytes.
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
  });
  let closing = false;

  const attempt = async (assignment: TaskAssignment, door: TaskDoor, stopped: boolean, onPort: (port: MessagePort) => void): Promise<Outcome> => {
    const { port1, port2 } = new MessageChannel();
    const launches = new Map<number, AbortController>();
    port1.on('message', (message: FromRunner) => answer({ options, assignment, door, port: port1, launches }, message));
    onPort(port1);
    try {
      // Never an AbortSignal: Piscina would give the attempt a whole thread and kill that thread to stop it.
      return await piscina.run({ assignment, settings: options.settings, port: port2, stopped }, { transferList: [port2] });
    } finally {
      port1.close();
    }
  };

  return {
    run(assignment, door) {
      let stopped = false;
      let port: MessagePort | undefined;
      const outcome = async (): Promise<Outcome> => {
        for (let tries = 1; ; tries += 1) {
          try {
            return await attempt(assignment, door, stopped, (opened) => { port = opened; });
          } catch (error) {
            // The engine is going down: whoever adopts the attempt will hear its outcome.
            if (closing) return new Promise(() => undefined);
            options.log.warn({ run_id: assignment.runId, error: messageOf(error), tries }, 'The thread of this attempt died; asking for the attempt again.');
            if (tries === triesMax) {
              await endMarked(assignment.directory, createBell()).catch(() => undefined);
              return { kind: 'lost', message: `Its runner's thread died ${tries} times, last with: ${messageOf(error)}` };
            }
          }
        }
      };
      return {
        outcome: outcome(),
        stop() {
          stopped = true;
          port?.postMessage({ type: 'stop' } satisfies FromEngine);
        },
      };
    },
    async close() {
      closing = true;
      await piscina.destroy();
    },
  };
}

/** One attempt as the engine hears of it. */
interface Line {
  readonly options: PoolOptions;
  readonly assignment: TaskAssignment;
  readonly door: TaskDoor;
  readonly port: MessagePort;
  /** By the number of the question. What a thread that died has asked for goes on: it is asked for again. */
  readonly launches: Map<number, AbortController>;
}

function answer({ options, assignment, door, port, launches }: Line, message: FromRunner): void {
  const say = (reply: FromEngine): void => port.postMessage(reply);
  switch (message.type) {
    case 'log':
      options.log.info({ run_id: assignment.runId, task_key: assignment.taskKey }, message.line);
      return;
    case 'locate': {
      const { id, uri, what } = message;
      options.locate(uri, what).then(
        (path) => say({ type: 'located', id, path }),
        (error: unknown) => say({ type: 'not-located', id, message: messageOf(error) }),
      );
      return;
    }
    case 'launch': {
      const { id, key, request, stopped } = message;
      const stop = new AbortController();
      if (stopped) stop.abort();
      launches.set(id, stop);
      void door.launch(key, request, stop.signal).then((end) => say({ type: 'launched', id, end })).finally(() => launches.delete(id));
      return;
    }
    case 'stop-launch':
      launches.get(message.id)?.abort();
      return;
    default:
      message satisfies never;
  }
}
