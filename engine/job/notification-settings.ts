/** Schemas of notifications and health rules (spec 2.9). */
import { Type, type Static } from 'typebox';
import { withAliases } from '../validation/aliases.ts';
import { int32, stringList } from '../validation/scalars.ts';

/** The four lists that e-mail and webhook notifications share. */
export const subscribableEvents = [
  'on_start',
  'on_success',
  'on_failure',
  'on_duration_warning_threshold_exceeded',
] as const;

export type SubscribableEvent = (typeof subscribableEvents)[number];

export const JobEmailNotifications = Type.Object(
  {
    on_start: Type.Optional(stringList('Addresses told when the run begins, ASCII only.')),
    on_success: Type.Optional(stringList('Addresses told when the run succeeds, ASCII only.')),
    on_failure: Type.Optional(
      stringList(
        'Addresses told when the run fails, times out, is skipped or meets an internal error, ASCII only.',
      ),
    ),
    on_duration_warning_threshold_exceeded: Type.Optional(
      stringList('Addresses told when the run lasts longer than its RUN_DURATION_SECONDS rule, ASCII only.'),
    ),
    no_alert_for_skipped_runs: Type.Optional(
      Type.Boolean({ description: 'No e-mail to on_failure for a skipped run. Default: false.' }),
    ),
  },
  { description: 'Who is told by e-mail. Lists that are not given are empty.' },
);

export const Webhook = Type.Object(
  { id: Type.String({ description: 'Id of a notification destination.' }) },
  { description: 'A destination.' },
);

function webhooks(event: string) {
  return Type.Optional(Type.Array(Webhook, { description: `Destinations called when ${event}; at most 3.` }));
}

export const WebhookNotifications = Type.Object(
  {
    on_start: webhooks('the run begins'),
    on_success: webhooks('the run succeeds'),
    on_failure: webhooks('the run fails, times out, is skipped or meets an internal error'),
    on_duration_warning_threshold_exceeded: webhooks(
      'the run lasts longer than its RUN_DURATION_SECONDS rule',
    ),
  },
  { description: 'Which destinations are called.' },
);

export const JobNotificationSettings = Type.Object(
  {
    no_alert_for_skipped_runs: Type.Optional(
      Type.Boolean({ description: 'No on_failure notice for a skipped run.' }),
    ),
    no_alert_for_canceled_runs: Type.Optional(
      Type.Boolean({ description: 'No on_failure notice for a cancelled run.' }),
    ),
    alert_on_last_attempt: Type.Optional(
      Type.Boolean({
        description: 'No on_start notice for retries, and no on_failure notice before the last retry.',
      }),
    ),
  },
  { description: 'Applies to e-mail and webhook notifications alike.' },
);

export const JobsHealthRule = Type.Object(
  withAliases({
    metric: Type.Enum(['RUN_DURATION_SECONDS'], { description: 'What is measured.' }),
    operator: Type.Optional(
      Type.Enum(['GREATER_THAN'], {
        description: 'How it is compared. Required, under either of its spellings.',
      }),
    ),
    value: int32(0, 'Threshold, in the unit of the metric.'),
  }),
  { description: 'A threshold that a healthy run does not pass.' },
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
