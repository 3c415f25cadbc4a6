/** GET jobs/runs/logs: what a task writes, page by page or from its end. */
import { Type } from 'typebox';
import { invalid } from '../../engine/errors.ts';
import { logStreams } from '../../engine/log-file.ts';
import { Id } from '../../engine/validation/scalars.ts';
import { isTerminal } from '../../engine/run/states.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { resolveTaskRun } from './resolve-task-run.ts';
import { apiVersions } from '../http/api-versions.ts';

export const LogRunId = Type.Integer({
  ...Id,
  description: 'The run of a single task, or a task run: every attempt has a run_id of its own.',
});
export const LogStreamName = Type.Enum([...logStreams], {
  description: 'stdout or stderr. Default: stdout.',
});

/** Shows a part of a log; what grows is read on from `next_offset`. */
export function getLogsOperation({
  runs,
  logs,
  limits,
}: Pick<OperationPorts, 'runs' | 'logs' | 'limits'>): Operation {
  const { logPageBytes, logTailLines } = limits;
  return defineOperation({
    method: 'GET',
    path: '/jobs/runs/logs',
    versions: apiVersions,
    scope: 'jobs',
    access: { level: 'CAN_VIEW', idField: 'run_id' },
    summary: 'Read the log of a task run',
    description:
      'A part of what a task run has written, also while it runs: from an offset on, or the last lines. Of a multi-task run the id of a task run is needed. ' +
      'Pages that follow one another are the whole log: none breaks a character.',
    request: Type.Object({
      run_id: LogRunId,
      stream: Type.Optional(LogStreamName),
      offset: Type.Optional(Type.Integer({ ...Id, description: 'First byte. Default: 0.' })),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: logPageBytes,
          description: `Most bytes to read. Default: ${logPageBytes}.`,
        }),
      ),
      tail: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: logTailLines,
          description: 'The last lines instead, as many of them as limit has room for. Not with offset.',
        }),
      ),
    }),
    response: Type.Object({
      run_id: Type.Integer({ ...Id }),
      stream: Type.Enum([...logStreams]),
      offset: Type.Integer({ ...Id, description: 'Where content begins, in bytes.' }),
      next_offset: Type.Integer({ ...Id, description: 'Where the next page begins.' }),
      size: Type.Integer({ ...Id, description: 'Bytes that were written so far, with what was left out.' }),
      complete: Type.Boolean({
        description: 'Whether nothing follows: the task run is over and this is the end of its log.',
      }),
      content: Type.String({
        description:
          'Text. Bytes that are no UTF-8 are replaced, secrets are masked, and a line says what was left out.',
      }),
    }),
    async handle({ run_id: runId, stream = 'stdout', offset, limit = logPageBytes, tail }) {
      if (tail !== undefined && offset !== undefined)
        throw invalid('tail and offset are given; only one of them can be: tail counts lines from the end.');
      const { found, taskRun } = resolveTaskRun(await runs.find(runId), runId);
      // Asked before the log is read: what is over writes no more.
      const over = isTerminal(taskRun.progress.state);
      const view = { mask: await runs.getMask(found.run), isComplete: over };
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
        complete: over && page.nextOffset >= page.size,
        content: page.text,
      };
    },
  });
}
