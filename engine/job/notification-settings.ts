/** Schemas of notifications and health rules (spec 2.9). */
import { Type, type Static } from 'typebox';
import { withAliases } from '../validation/aliases.ts';
import { int32, stringList } from '../validation/scalars.ts';

/** Events with a list of recipients in e-mail and webhook notifications. */
export const subscribableEvents = [
  'on_start',
  'on_success',
  'on_failure',
  'on_duration_warning_threshold_exceeded',
] as const;

export type SubscribableEvent = (typeof subscribableEvents)[number];

export const JobEmailNotifications = Type.Object(
  {
    on_start: Type.Optional(stringList('Addresses notified when the run starts, ASCII only.')),
    on_success: Type.Optional(stringList('Addresses notified when the run succeeds, ASCII only.')),
    on_failure: Type.Optional(
      stringList(
        'Addresses notified when the run fails, times out, is skipped or has an internal error, ASCII only.',
      ),
    ),
    on_duration_warning_threshold_exceeded: Type.Optional(
      stringList('Addresses notified when the run exceeds its RUN_DURATION_SECONDS rule, ASCII only.'),
    ),
    no_alert_for_skipped_runs: Type.Optional(
      Type.Boolean({ description: 'No e-mail to on_failure for a skipped run. Default: false.' }),
    ),
  },
  { description: 'Recipients of e-mail notifications. Missing lists are empty.' },
);

const Webhook = Type.Object(
  { id: Type.String({ description: 'Id of a notification destination.' }) },
  { description: 'A destination.' },
);

function webhooks(event: string) {
  return Type.Optional(Type.Array(Webhook, { description: `Destinations called when ${event}; at most 3.` }));
}

export const WebhookNotifications = Type.Object(
  {
    on_start: webhooks('the run starts'),
    on_success: webhooks('the run succeeds'),
    on_failure: webhooks('the run fails, times out, is skipped or has an internal error'),
    on_duration_warning_threshold_exceeded: webhooks('the run exceeds its RUN_DURATION_SECONDS rule'),
  },
  { description: 'Destinations of webhook notifications.' },
);

export const JobNotificationSettings = Type.Object(
  {
    no_alert_for_skipped_runs: Type.Optional(
      Type.Boolean({ description: 'No on_failure notification for a skipped run.' }),
    ),
    no_alert_for_canceled_runs: Type.Optional(
      Type.Boolean({ description: 'No on_failure notification for a cancelled run.' }),
    ),
    alert_on_last_attempt: Type.Optional(
      Type.Boolean({
        description:
          'No on_start notification for retries, and no on_failure notification before the last retry.',
      }),
    ),
  },
  { description: 'Applies to e-mail and webhook notifications.' },
);

const JobsHealthRule = Type.Object(
  withAliases({
    metric: Type.Enum(['RUN_DURATION_SECONDS'], { description: 'Metric of the rule.' }),
    operator: Type.Optional(
      Type.Enum(['GREATER_THAN'], {
        description: 'Comparison operator. Required, under either of its spellings.',
      }),
    ),
    value: int32(0, 'Threshold, in the unit of the metric.'),
  }),
  { description: 'A threshold that a healthy run does not exceed.' },
);

export const JobsHealthRules = Type.Object(
  { rules: Type.Optional(Type.Array(JobsHealthRule, { description: 'The rules.' })) },
  { description: 'Health rules of the job.' },
);

export type JobEmailNotifications = Static<typeof JobEmailNotifications>;
export type Webhook = Static<typeof Webhook>;
export type WebhookNotifications = Static<typeof WebhookNotifications>;
export type JobNotificationSettings = Static<typeof JobNotificationSettings>;
export type JobsHealthRule = Static<typeof JobsHealthRule>;
export type JobsHealthRules = Static<typeof JobsHealthRules>;
