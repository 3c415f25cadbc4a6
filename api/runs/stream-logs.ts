/** GET jobs/runs/logs/stream. */
import { Readable } from 'node:stream';
import { Type } from 'typebox';
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
import { createStreamLimiter } from './stream-limiter.ts';

const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' } as const;

function createRequestSchema({ logStreamSeconds }: Pick<Limits, 'logStreamSeconds'>) {
  return Type.Object({
    run_id: LogRunId,
    stream: Type.Optional(LogStreamName),
    offset: Type.Optional(
      Type.Integer({
        ...Id,
        description: 'Position of the first byte. Default: 0. Last-Event-ID takes precedence.',
      }),
    ),
    timeout_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: logStreamSeconds,
        description: `Maximum duration of the stream in seconds; 0 sends the existing text and ends. Default: ${logStreamSeconds}.`,
      }),
    ),
  });
}

/**
 * Follows a log with server-sent events.
 * @throws ServiceError for an unknown run and for a multi-task run; REQUEST_LIMIT_EXCEEDED at the limit of
 * streams
 */
export function streamLogsOperation({
  runs,
  logs,
  limits,
}: Pick<OperationPorts, 'runs' | 'logs' | 'limits'>): Operation {
  const limiter = createStreamLimiter(limits);
  const readAttemptState = async (runId: number): Promise<AttemptState> => {
    const taskRun = (await runs.find(runId))?.tasks.find((task) => task.runId === runId);
    // The run was deleted, so it had terminated.
    if (taskRun === undefined) return { isTerminal: true, state: {} };
    return {
      isTerminal: isTerminal(taskRun.progress.state),
      state: { state: toStateView(taskRun.progress) },
    };
  };
  return defineOperation({
    method: 'GET',
    path: '/jobs/runs/logs/stream',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_VIEW', idField: 'run_id' },
    summary: 'Follow the log of a task run',
    description:
      'Sends server-sent events: `log` with `{offset, content}` for existing and new text, finally `end` with `{offset, state}`. The id of an event is the offset of the next one; ' +
      'after a disconnect, resume with the header `Last-Event-ID`. The stream waits for a task run that has not started. A stream that ends without `end` was closed by the service; resume it with that header.',
    mediaType: 'text/event-stream',
    request: createRequestSchema(limits),
    response: Type.String({ description: 'Server-sent events.' }),
    async handle(
      { run_id: runId, stream = 'stdout', offset = 0, timeout_seconds: seconds = limits.logStreamSeconds },
      { caller, disconnectSignal, shutdownSignal, lastEventId },
    ) {
      const { found } = resolveTaskRun(await runs.find(runId), runId);
      const mask = await runs.getMask(found.run);
      const release = limiter.acquire(caller.principalId);
      const signal = AbortSignal.any([
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
        signal,
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
