/** GET jobs/runs/logs. */
import { Type } from 'typebox';
import { invalid } from '../../engine/errors.ts';
import { logStreams } from '../../engine/log-file.ts';
import { Id } from '../../engine/validation/scalars.ts';
import { isTerminal } from '../../engine/run/states.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { Limits } from '../../engine/limits.ts';
import type { OperationPorts } from '../http/ports.ts';
import { resolveTaskRun } from './resolve-task-run.ts';
import { apiVersions } from '../http/api-versions.ts';

export const LogRunId = Type.Integer({
  ...Id,
  description: 'Id of a single-task run, or of a task run; every attempt has its own run_id.',
});
export const LogStreamName = Type.Enum([...logStreams], {
  description: 'stdout or stderr. Default: stdout.',
});

const response = Type.Object({
  run_id: Type.Integer({ ...Id }),
  stream: Type.Enum([...logStreams]),
  offset: Type.Integer({ ...Id, description: 'Position of content in bytes.' }),
  next_offset: Type.Integer({ ...Id, description: 'Position of the next page in bytes.' }),
  size: Type.Integer({ ...Id, description: 'Number of bytes written so far, including truncated parts.' }),
  complete: Type.Boolean({
    description: 'Whether this page ends at the end of the log of a terminated task run.',
  }),
  content: Type.String({
    description:
      'Text of the log. Invalid UTF-8 is replaced, secrets are masked, and a line marks truncated parts.',
  }),
});

function createRequestSchema({ logPageBytes, logTailLines }: Pick<Limits, 'logPageBytes' | 'logTailLines'>) {
  return Type.Object({
    run_id: LogRunId,
    stream: Type.Optional(LogStreamName),
    offset: Type.Optional(Type.Integer({ ...Id, description: 'Position of the first byte. Default: 0.' })),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: logPageBytes,
        description: `Maximum number of bytes. Default: ${logPageBytes}.`,
      }),
    ),
    tail: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: logTailLines,
        description: 'Number of lines from the end, as far as limit allows. Excludes offset.',
      }),
    ),
  });
}

/**
 * Returns a part of a log. To follow a growing log, continue at `next_offset`.
 * @throws ServiceError for an unknown run, a multi-task run, and tail together with offset
 */
export function getLogsOperation({
  runs,
  logs,
  limits,
}: Pick<OperationPorts, 'runs' | 'logs' | 'limits'>): Operation {
  const { logPageBytes } = limits;
  return defineOperation({
    method: 'GET',
    path: '/jobs/runs/logs',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_VIEW', idField: 'run_id' },
    summary: 'Read the log of a task run',
    description:
      'Returns a part of the log of a task run, from an offset or the last lines; the task run may be active. For a multi-task run, use the id of a task run. ' +
      'Consecutive pages form the complete log and never split a character.',
    request: createRequestSchema(limits),
    response,
    async handle({ run_id: runId, stream = 'stdout', offset, limit = logPageBytes, tail }) {
      if (tail !== undefined && offset !== undefined)
        throw invalid(
          'tail and offset are given; only one of them is allowed, because tail counts lines from the end.',
        );
      const { found, taskRun } = resolveTaskRun(await runs.find(runId), runId);
      // Read before the log: a terminated task run writes no more.
      const isComplete = isTerminal(taskRun.progress.state);
      const view = { mask: await runs.getMask(found.run), isComplete };
      const log = { runId, stream };
      const page =
        tail === undefined
          ? await logs.readPage(log, offset ?? 0, limit, view)
          : await logs.readTail(log, tail, limit, view);
      return {
        run_id: runId,
        stream,
        offset: page.offset,
        next_offset: page.nextOffset,
        size: page.size,
        complete: isComplete && page.nextOffset >= page.size,
        content: page.text,
      };
    },
  });
}
