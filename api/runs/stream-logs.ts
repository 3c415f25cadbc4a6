/** GET jobs/runs/logs/stream: a log as it is written. */
import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { ServiceError } from '../../engine/errors.ts';
import { Id } from '../../engine/validation/scalars.ts';
import type { Limits } from '../../engine/limits.ts';
import { isTerminal } from '../../engine/run/states.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { StreamedResponse } from '../http/streamed-response.ts';
import { resolveTaskRun } from './resolve-task-run.ts';
import { apiVersions } from '../http/api-versions.ts';
import { streamLogEvents, type AttemptState } from './log-events.ts';
import { LogRunId, LogStreamName } from './get-logs.ts';
import { toStateView } from '../views/run-view-fields.ts';

const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' } as const;

/** Follows a log by server-sent events. */
export function streamLogsOperation({
  runs,
  logs,
  limits,
}: Pick<OperationPorts, 'runs' | 'logs' | 'limits'>): Operation {
  const limiter = createStreamLimiter(limits);
  const readAttemptState = async (runId: number): Promise<AttemptState> => {
    const taskRun = (await runs.find(runId))?.tasks.find((task) => task.runId === runId);
    // It was deleted, which only a run that is over can be.
    if (taskRun === undefined) return { over: true, state: {} };
    return { over: isTerminal(taskRun.progress.state), state: { state: toStateView(taskRun.progress) } };
  };
  return defineOperation({
    method: 'GET',
    path: '/jobs/runs/logs/stream',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_VIEW', idField: 'run_id' },
    summary: 'Follow the log of a task run',
    description:
      'Server-sent events: `log` with `{offset, content}` for what is there and for what comes, at last `end` with `{offset, state}`. The id of an event is where the next one ' +
      'begins: a connection that broke goes on with the header `Last-Event-ID`. A task run that has not begun is waited for. A connection without `end` was ended by the service: come back with that header.',
    mediaType: 'text/event-stream',
    request: Type.Object({
      run_id: LogRunId,
      stream: Type.Optional(LogStreamName),
      offset: Type.Optional(
        Type.Integer({ ...Id, description: 'First byte. Default: 0. Last-Event-ID wins over it.' }),
      ),
      timeout_seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: limits.logStreamSeconds,
          description: `How long the connection is kept at most; 0: what is there is sent, nothing is waited for. Default: ${limits.logStreamSeconds}.`,
        }),
      ),
    }),
    response: Type.String({ description: 'Events.' }),
    async handle(
      { run_id: runId, stream = 'stdout', offset = 0, timeout_seconds: seconds = limits.logStreamSeconds },
      { caller, disconnectSignal, shutdownSignal, lastEventId },
    ) {
      const { found } = resolveTaskRun(await runs.find(runId), runId);
      const mask = await runs.getMask(found.run);
      const release = limiter.acquire(caller.principalId);
      const until = AbortSignal.any([
        disconnectSignal,
        shutdownSignal,
        ...(seconds === 0 ? [] : [AbortSignal.timeout(seconds * 1_000)]),
      ]);
      const events = streamLogEvents({
        logs,
        log: { runId, stream },
        offset: lastEventId ?? offset,
        mask,
        readState: () => readAttemptState(runId),
        once: seconds === 0,
        signal: until,
      });
      const body = Readable.from(toBuffers(events), { objectMode: false, highWaterMark: 16 * 1_024 });
      body.once('close', release);
      return new StreamedResponse(body, headers);
    },
  });
}

async function* toBuffers(events: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const text of events) yield Buffer.from(text, 'utf8');
}

/** Counts open streams. @throws ServiceError when there are as many as may be */
function createStreamLimiter({
  logStreams,
  logStreamsPerUser,
}: Pick<Limits, 'logStreams' | 'logStreamsPerUser'>): { acquire(principalId: number): () => void } {
  const openByUser = new Map<number, number>();
  let open = 0;
  return {
    acquire(principalId) {
      const own = openByUser.get(principalId) ?? 0;
      if (own >= logStreamsPerUser || open >= logStreams) {
        const which =
          own >= logStreamsPerUser
            ? `${logStreamsPerUser} logs at a time for one user`
            : `${logStreams} logs at a time`;
        throw new ServiceError(
          'REQUEST_LIMIT_EXCEEDED',
          `This engine follows ${which}. End one of them, or read pages of the log instead (jobs/runs/logs).`,
          5,
        );
      }
      openByUser.set(principalId, own + 1);
      open += 1;
      let released = false;
      return () => {
        if (released) return;
        released = true;
        open -= 1;
        const rest = (openByUser.get(principalId) ?? 1) - 1;
        if (rest > 0) openByUser.set(principalId, rest);
        else openByUser.delete(principalId);
      };
    },
  };
}
