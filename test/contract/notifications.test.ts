/** Fields of notifications and health rules of jobs and tasks (spec 2.9). */
import { afterAll, beforeAll, describe, test } from 'vitest';
import { addDestinations, knownDestinations } from '../harness/destinations.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import {
  assertFieldRow,
  jobLocation,
  taskLocation,
  type FieldRow,
  type SettingsLocation,
} from './field-rows.ts';

let runyard: TestService;
beforeAll(async () => {
  runyard = await startTestService();
  await addDestinations(runyard.database.db);
});
afterAll(() => runyard.stop());

const lists = ['on_start', 'on_success', 'on_failure', 'on_duration_warning_threshold_exceeded'] as const;
const emails = (list: string, value: unknown) => ({ email_notifications: { [list]: value } });
const webhooks = (list: string, value: unknown) => ({ webhook_notifications: { [list]: value } });
const ids = (count: number) => knownDestinations.slice(0, count).map((id) => ({ id }));
const given = { metric: 'RUN_DURATION_SECONDS', operator: 'GREATER_THAN', value: 60 };
const rule = (fields: object) => ({ health: { rules: [{ ...given, ...fields }] } });
/** Response with both names of the operator, which different clients read. */
const shownRule = (fields: object) => ({ health: { rules: [{ ...given, op: 'GREATER_THAN', ...fields }] } });
const notBoolean = (field: string) =>
  `Could not parse request object: Expected boolean for field <at>${field}, found STRING "maybe"`;

const rows: readonly FieldRow[] = [
  ...lists.map((list): FieldRow => ({
    field: `JobEmailNotifications.${list}`,
    accepts: [emails(list, ['a@x.example', 'b@x.example']), emails(list, [])],
    rejects: [
      [
        emails(list, ['a@x', 'jürgen@x']),
        `<at>email_notifications.${list}[1] is "jürgen@x"; only ASCII characters are allowed.`,
      ],
      [
        emails(list, 'a@x'),
        `Could not parse request object: Expected array for field <at>email_notifications.${list}, found STRING`,
      ],
    ],
  })),
  {
    field: 'JobEmailNotifications.no_alert_for_skipped_runs',
    accepts: [emails('no_alert_for_skipped_runs', true), emails('no_alert_for_skipped_runs', false)],
    rejects: [
      [
        emails('no_alert_for_skipped_runs', 'maybe'),
        notBoolean('email_notifications.no_alert_for_skipped_runs'),
      ],
    ],
  },
  ...lists.map((list): FieldRow => ({
    field: `WebhookNotifications.${list}`,
    accepts: [webhooks(list, ids(3)), webhooks(list, [])],
    rejects: [
      [webhooks(list, ids(4)), `<at>webhook_notifications.${list} has 4 entries; at most 3 are allowed.`],
      [
        webhooks(list, ['destination-1']),
        `Could not parse request object: Expected object for field <at>webhook_notifications.${list}[0], found STRING`,
      ],
    ],
  })),
  {
    field: 'Webhook.id',
    accepts: [webhooks('on_start', ids(1))],
    rejects: [
      [webhooks('on_start', [{}]), 'Missing required field: <at>webhook_notifications.on_start[0].id.'],
      [
        webhooks('on_start', [...ids(1), { id: 'unknown' }]),
        '<at>webhook_notifications.on_start[1].id is "unknown"; no notification destination has this id.',
      ],
      [
        webhooks('on_start', [{ id: 1 }]),
        'Could not parse request object: Expected string for field <at>webhook_notifications.on_start[0].id, found NUMBER',
      ],
    ],
  },
  ...['no_alert_for_skipped_runs', 'no_alert_for_canceled_runs', 'alert_on_last_attempt'].map(
    (field): FieldRow => ({
      field: `JobNotificationSettings.${field}`,
      accepts: [{ notification_settings: { [field]: true } }, { notification_settings: { [field]: false } }],
      rejects: [
        [{ notification_settings: { [field]: 'maybe' } }, notBoolean(`notification_settings.${field}`)],
      ],
    }),
  ),
  {
    field: 'JobsHealthRules.rules',
    accepts: [{ health: { rules: [] } }, [rule({}), shownRule({})]],
    rejects: [
      [
        { health: { rules: given } },
        'Could not parse request object: Expected array for field <at>health.rules, found OBJECT',
      ],
    ],
  },
  {
    field: 'JobsHealthRule.metric',
    accepts: [[rule({}), shownRule({})]],
    rejects: [
      [
        rule({ metric: 'HEARTBEATS' }),
        '<at>health.rules[0].metric is "HEARTBEATS"; it must be one of RUN_DURATION_SECONDS.',
      ],
      [rule({ metric: undefined }), 'Missing required field: <at>health.rules[0].metric.'],
    ],
  },
  {
    field: 'JobsHealthRule.operator',
    accepts: [[rule({ operator: undefined, op: 'GREATER_THAN' }), shownRule({})]],
    rejects: [
      [
        rule({ operator: 'LESS_THAN' }),
        '<at>health.rules[0].operator is "LESS_THAN"; it must be one of GREATER_THAN.',
      ],
      [rule({ operator: undefined }), 'Missing required field: <at>health.rules[0].operator.'],
    ],
  },
  {
    field: 'JobsHealthRule.value',
    accepts: [
      [rule({ value: 0 }), shownRule({ value: 0 })],
      [rule({ value: 2_147_483_647 }), shownRule({ value: 2_147_483_647 })],
    ],
    rejects: [
      [rule({ value: -1 }), '<at>health.rules[0].value is -1; it must be at least 0.'],
      [
        rule({ value: 'long' }),
        'Could not parse request object: Expected integer for field <at>health.rules[0].value, found STRING "long"',
      ],
      [rule({ value: undefined }), 'Missing required field: <at>health.rules[0].value.'],
    ],
  },
];

describe.each<[string, SettingsLocation]>([
  ['a job', jobLocation],
  ['a task', taskLocation],
])('of %s', (_name, place) => {
  test.each(rows)('spec 2.9 $field', (row) => assertFieldRow(runyard, row, place));
});
