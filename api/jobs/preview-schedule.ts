/** GET jobs/schedule/preview: when a schedule would fire. */
import { Type } from 'typebox';
import { latestInstant, previewDefault, previewSchedule } from '../../engine/schedule/preview.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { apiVersions } from '../http/api-versions.ts';
import { fixedLimits } from '../../engine/limits.ts';

const FireTime = Type.Object(
  {
    time: Type.Integer({ description: 'When it fires, epoch ms.' }),
    local: Type.String({ description: 'The same on the clocks of the time zone, ISO-8601 with offset.' }),
    note: Type.Optional(
      Type.String({
        description:
          'What is unusual about it: times that a change of the clocks skipped before it, or shows twice; a fire that is too close to the one before.',
      }),
    ),
  },
  { description: 'A fire.' },
);

/** Shows when an expression fires, before a job has it. */
export function previewScheduleOperation({ clock }: Pick<OperationPorts, 'clock'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/jobs/schedule/preview',
    versions: apiVersions,
    scope: 'jobs',
    access: 'everyone',
    summary: 'Preview a schedule',
    description:
      'The next times at which a schedule fires, with notes where clocks change, and what the expression means in plain words. Nothing is stored.',
    request: Type.Object({
      quartz_cron_expression: Type.String({
        description: 'Quartz cron expression: second minute hour day-of-month month day-of-week [year].',
      }),
      timezone_id: Type.String({ description: 'Java time zone id.' }),
      after: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: latestInstant,
          description: 'Only fires after this time, epoch ms. Default: now.',
        }),
      ),
      count: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: fixedLimits.previewFires,
          description: `How many at the most. Default: ${previewDefault}.`,
        }),
      ),
    }),
    response: Type.Object({
      description: Type.String({ description: 'The expression in plain words.' }),
      fire_times: Type.Array(FireTime, { description: 'Earliest first.' }),
    }),
    async handle({
      quartz_cron_expression: expression,
      timezone_id: zone,
      after = clock.now(),
      count = previewDefault,
    }) {
      return previewSchedule(expression, zone, after, count);
    },
  });
}
