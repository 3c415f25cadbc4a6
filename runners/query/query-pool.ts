/** Runs queries in a few processes, one query each at a time. A crash of a process affects only its query. */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdir, realpath } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { QueryResult, QueryRunner } from '../../engine/ports/dashboards.ts';
import { invalid, ServiceError } from '../../engine/errors.ts';
import type { Limits } from '../../engine/limits.ts';
import type { Log } from '../../engine/ports/log.ts';
import { toQueryError } from './query-error.ts';
import type { QueryProcessResponse, QueryProcessRequest } from './query-messages.ts';

export interface QueryPoolOptions {
  /** Absolute path of managed_fs, the only directory that queries can read. */
  readonly directory: string;
  readonly limits: Pick<
    Limits,
    | 'dashboardRows'
    | 'dashboardRowsBytes'
    | 'dashboardQuerySeconds'
    | 'dashboardQueryMegabytes'
    | 'dashboardQueries'
    | 'dashboardQueriesWaiting'
  >;
  readonly log: Log;
}

export interface QueryPool extends QueryRunner {
  /** Ends all processes; active queries fail. */
  close(): Promise<void>;
}

/** Time in ms after which an idle process ends. */
const idleTimeoutMs = 5_000;
/** Time in ms that an interrupted query has to end before its process is killed. */
const interruptGraceMs = 2_000;

interface QueryProcess {
  readonly process: ChildProcess;
  readonly exited: Promise<unknown>;
  idleTimer?: NodeJS.Timeout;
}

export function createQueryPool(options: QueryPoolOptions): QueryPool {
  const slots = new QuerySlots(options.limits);
  const processes = new QueryProcesses(options.directory);
  return {
    async run(sql, signal) {
      await slots.acquire(signal);
      try {
        const used = await processes.acquire();
        // After a failed query the process can be reused.
        return await runQuery(used, sql, options, signal).finally(() => processes.release(used));
      } finally {
        slots.release();
      }
    },
    async close() {
      slots.close();
      await processes.close();
    },
  };
}

/** Limits the queries that run, and those that wait. */
class QuerySlots {
  readonly #limits: QueryPoolOptions['limits'];
  readonly #waiting: (() => void)[] = [];
  #busy = 0;
  #closed = false;

  constructor(limits: QueryPoolOptions['limits']) {
    this.#limits = limits;
  }

  /** Waits for a free slot. @throws ServiceError when the queue is full, on abort, and after `close` */
  async acquire(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw createCallerGoneError();
    if (this.#busy >= this.#limits.dashboardQueries) {
      if (this.#waiting.length >= this.#limits.dashboardQueriesWaiting)
        throw new ServiceError(
          'REQUEST_LIMIT_EXCEEDED',
          `${this.#waiting.length} dashboard queries are already waiting.`,
          5,
        );
      await waitForTurn(this.#waiting, signal);
    }
    if (this.#closed) throw new ServiceError('TEMPORARILY_UNAVAILABLE', 'This engine is stopping.', 5);
    this.#busy += 1;
  }

  release(): void {
    this.#busy -= 1;
    this.#waiting.shift()?.();
  }

  /** Rejects the waiting queries. */
  close(): void {
    this.#closed = true;
    for (const next of this.#waiting.splice(0)) next();
  }
}

/** Processes of one pool. An idle process is reused, and ends after a while. */
class QueryProcesses {
  readonly #directory: string;
  readonly #idle: QueryProcess[] = [];
  readonly #all = new Set<QueryProcess>();
  #closed = false;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async acquire(): Promise<QueryProcess> {
    const known = this.#idle.pop();
    clearTimeout(known?.idleTimer);
    if (known !== undefined) return known;
    const fresh = await startProcess(this.#directory);
    this.#all.add(fresh);
    fresh.process.once('exit', () => {
      this.#all.delete(fresh);
      if (this.#idle.includes(fresh)) this.#idle.splice(this.#idle.indexOf(fresh), 1);
    });
    return fresh;
  }

  release(used: QueryProcess): void {
    // A killed or disconnected process cannot take another query.
    if (
      this.#closed ||
      used.process.killed ||
      !used.process.connected ||
      used.process.exitCode !== null ||
      used.process.signalCode !== null
    )
      return;
    used.idleTimer = setTimeout(() => used.process.kill('SIGKILL'), idleTimeoutMs).unref();
    this.#idle.push(used);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const ended = [...this.#all].map(({ exited }) => exited);
    for (const { process } of this.#all) process.kill('SIGKILL');
    await Promise.all(ended);
  }
}

/** Waits for a free process; an abort leaves the queue. */
function waitForTurn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      waiting.splice(waiting.indexOf(next), 1);
      reject(createCallerGoneError());
    };
    const next = (): void => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    waiting.push(next);
    signal.addEventListener('abort', leave, { once: true });
  });
}

async function startProcess(directory: string): Promise<QueryProcess> {
  await mkdir(directory, { recursive: true });
  const child = fork(fileURLToPath(new URL('./query-process.ts', import.meta.url)), {
    cwd: await realpath(directory),
    env: {},
    execArgv: ['--max-old-space-size=384'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // A process that cannot be started emits no `exit`.
  const ended = new Promise((resolve) => {
    child.once('exit', resolve).once('error', resolve);
  });
  return { process: child, exited: ended };
}

async function runQuery(
  { process: child, exited }: QueryProcess,
  sql: string,
  { directory, limits }: QueryPoolOptions,
  signal: AbortSignal,
): Promise<QueryResult> {
  const send = (message: QueryProcessRequest): void => {
    if (child.connected) child.send(message, () => undefined);
  };
  let stopped: Error | undefined;
  let kill: NodeJS.Timeout | undefined;
  const stop = (reason: Error): void => {
    stopped ??= reason;
    send({ type: 'interrupt' });
    kill ??= setTimeout(() => child.kill('SIGKILL'), interruptGraceMs);
  };
  const onAbort = (): void => stop(createCallerGoneError());
  const timer = setTimeout(
    () =>
      stop(invalid(`The query took longer than ${limits.dashboardQuerySeconds} seconds and was stopped.`)),
    limits.dashboardQuerySeconds * 1_000,
  );
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const answered = new Promise<QueryProcessResponse>((resolve) => {
      child.once('message', resolve);
    });
    send({
      type: 'run',
      sql,
      limits: {
        rowsMax: limits.dashboardRows,
        bytesMax: limits.dashboardRowsBytes,
        memoryMb: limits.dashboardQueryMegabytes,
      },
    });
    if (signal.aborted) onAbort();
    const answer = await Promise.race([answered, exited.then(() => undefined)]);
    if (stopped !== undefined) throw stopped;
    if (answer === undefined)
      throw new ServiceError(
        'INVALID_STATE',
        'The process that ran the query crashed; the query may need more memory than is available. Other queries are not affected.',
      );
    if (answer.type === 'failed') throw await toQueryError(answer.message, directory);
    return answer.result;
  } finally {
    clearTimeout(timer);
    clearTimeout(kill);
    signal.removeEventListener('abort', onAbort);
    child.removeAllListeners('message');
  }
}

/** Error of an aborted query, which the disconnected caller never receives. */
function createCallerGoneError(): ServiceError {
  return new ServiceError('INVALID_STATE', 'The query was stopped because the caller disconnected.');
}
