/**
 * Hands queries to processes, a few at a time; a process that dies takes its one query with it and nothing
 * else.
 */
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
  /** Absolute path of managed_fs: all that queries can read. */
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
  /** Ends all processes; their queries fail. */
  close(): Promise<void>;
}

/** How long a process without work stays, for the next query of the same page, ms. */
const idleTimeoutMs = 5_000;
/** How long an interrupted query may take to end before its process is killed, ms. */
const interruptGraceMs = 2_000;

interface QueryProcess {
  readonly process: ChildProcess;
  readonly exited: Promise<unknown>;
  idleTimer?: NodeJS.Timeout;
}

export function createQueryPool(options: QueryPoolOptions): QueryPool {
  const { limits } = options;
  const free: QueryProcess[] = [];
  const seats = new Set<QueryProcess>();
  const waiting: (() => void)[] = [];
  let busy = 0;
  let closed = false;

  const release = (): void => {
    busy -= 1;
    waiting.shift()?.();
  };
  const enter = async (signal: AbortSignal): Promise<void> => {
    if (signal.aborted) throw createCallerGoneError();
    if (busy >= limits.dashboardQueries) {
      if (waiting.length >= limits.dashboardQueriesWaiting)
        throw new ServiceError(
          'REQUEST_LIMIT_EXCEEDED',
          `${waiting.length} queries of dashboards wait already.`,
          5,
        );
      await waitForTurn(waiting, signal);
    }
    if (closed) throw new ServiceError('TEMPORARILY_UNAVAILABLE', 'This engine is stopping.', 5);
    busy += 1;
  };
  const seat = async (): Promise<QueryProcess> => {
    const known = free.pop();
    clearTimeout(known?.idleTimer);
    if (known !== undefined) return known;
    const fresh = await startProcess(options.directory);
    seats.add(fresh);
    fresh.process.once('exit', () => {
      seats.delete(fresh);
      if (free.includes(fresh)) free.splice(free.indexOf(fresh), 1);
    });
    return fresh;
  };
  const giveBack = (used: QueryProcess): void => {
    // One that was killed has a signal, or will not hear the next query.
    if (
      closed ||
      used.process.killed ||
      !used.process.connected ||
      used.process.exitCode !== null ||
      used.process.signalCode !== null
    )
      return;
    used.idleTimer = setTimeout(() => used.process.kill('SIGKILL'), idleTimeoutMs).unref();
    free.push(used);
  };

  return {
    async run(sql, signal) {
      await enter(signal);
      try {
        const used = await seat();
        // One whose query fails has answered as well, and takes the next.
        return await runQuery(used, sql, options, signal).finally(() => giveBack(used));
      } finally {
        release();
      }
    },
    async close() {
      closed = true;
      for (const next of waiting.splice(0)) next();
      const ended = [...seats].map((each) => each.exited);
      for (const each of seats) each.process.kill('SIGKILL');
      await Promise.all(ended);
    },
  };
}

/** Waits for a place; whoever goes away gives up the place in the line. */
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
  // A process that cannot be started ends without `exit`.
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
  const say = (message: QueryProcessRequest): void => {
    if (child.connected) child.send(message, () => undefined);
  };
  let stopped: Error | undefined;
  let kill: NodeJS.Timeout | undefined;
  const stop = (reason: Error): void => {
    stopped ??= reason;
    say({ type: 'interrupt' });
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
    say({
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
        'The process that ran the query ended before it answered; the query may take more memory than there is. Nothing else was harmed.',
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

/** Nobody reads it. */
function createCallerGoneError(): ServiceError {
  return new ServiceError('INVALID_STATE', 'The caller went away, and the query was stopped.');
}
