/** Fields of CronSchedule (spec 2.8). */
import { afterAll, beforeAll, test } from 'vitest';
import { defaultInventory } from '../../engine/cluster/inventory.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { assertFieldRow, jobLocation, type FieldRow } from './field-rows.ts';

let runyard: TestService;

beforeAll(async () => {
  runyard = await startTestService({
    clusters: {
      ...defaultInventory,
      pools: { pool: {} },
      policies: { policy: { node_type_id: 'standard-4' } },
    },
  });
});

afterAll(() => runyard.stop());

const cron = { quartz_cron_expression: '0 0 6 1 1 ?', timezone_id: 'UTC', pause_status: 'PAUSED' };

const schedule = (fields: object) => ({ schedule: { ...cron, ...fields } });

const fields = 'second minute hour day-of-month month day-of-week [year].';

const scheduleRows: readonly FieldRow[] = [
  {
    field: 'CronSchedule.quartz_cron_expression',
    accepts: [schedule({}), schedule({ quartz_cron_expression: '0 0 6 ? 1 MON#1 *' })],
    rejects: [
      [
        schedule({ quartz_cron_expression: undefined }),
        'Missing required field: schedule.quartz_cron_expression.',
      ],
      [
        schedule({ quartz_cron_expression: '0 6 * * ?' }),
        `Invalid quartz_cron_expression: "0 6 * * ?". It has 5 fields; 6 or 7 are required: ${fields}`,
      ],
    ],
  },
  {
    field: 'CronSchedule.timezone_id',
    accepts: [schedule({ timezone_id: 'Europe/Berlin' })],
    rejects: [
      [schedule({ timezone_id: undefined }), 'Missing required field: schedule.timezone_id.'],
      [
        schedule({ timezone_id: '' }),
        'schedule.timezone_id is ""; it must be a Java time zone id, for example Europe/Berlin.',
      ],
    ],
  },
  {
    field: 'CronSchedule.pause_status',
    accepts: [
      schedule({ pause_status: 'PAUSED' }),
      schedule({ pause_status: 'UNPAUSED' }),
      schedule({ pause_status: undefined }),
    ],
    rejects: [
      [
        schedule({ pause_status: 'ON' }),
        'schedule.pause_status is "ON"; it must be one of PAUSED, UNPAUSED.',
      ],
    ],
  },
];

test.each(scheduleRows)('spec 2.8 $field', (row) => assertFieldRow(runyard, row, jobLocation));
