/** GET jobs/schedule/preview. */
import { Type } from 'typebox';
import { latestInstant, previewDefault, previewSchedule } from '../../engine/schedule/preview.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { apiVersions } from '../http/api-versions.ts';
import { fixedLimits } from '../../engine/limits.ts';

const FireTime = Type.Object(
  {
    time: Type.Integer({ description: 'Fire time, epoch milliseconds.' }),
    local: Type.String({ description: 'Local time in the time zone, ISO 8601 with offset.' }),
    note: Type.Optional(
      Type.String({
        description:
          'Irregularities: times skipped or repeated by a clock change, or a fire time too close to the previous one.',
      }),
    ),
  },
  { description: 'Fire time of a schedule.' },
);

/**
 * Lists the next fire times of a cron expression without storing anything.
 * @throws ServiceError for an invalid expression or time zone
 */
export function previewScheduleOperation({ clock }: Pick<OperationPorts, 'clock'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/jobs/schedule/preview',
    versions: apiVersions,
    scope: 'jobs',
    access: 'everyone',
    summary: 'Preview a schedule',
    description:
      'Lists the next fire times of a schedule, with notes at clock changes, and explains the expression in words. Nothing is stored.',
    request: Type.Object({
      quartz_cron_expression: Type.String({
        description: 'Quartz cron expression: second minute hour day-of-month month day-of-week [year].',
      }),
      timezone_id: Type.String({ description: 'Java time zone id, such as Europe/Berlin.' }),
      after: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: latestInstant,
          description: 'Only fire times after this time, epoch milliseconds. Default: now.',
        }),
      ),
      count: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: fixedLimits.previewFires,
          description: `Maximum number of fire times. Default: ${previewDefault}.`,
        }),
      ),
    }),
    response: Type.Object({
      description: Type.String({ description: 'Explanation of the expression.' }),
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
