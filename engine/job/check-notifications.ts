/** Validation of notifications and health rules beyond their schema (spec 2.9). */
import type { Limits } from '../limits.ts';
import { readAliased } from '../validation/aliases.ts';
import { subscribableEvents } from './notification-settings.ts';
import { checkAsciiList } from '../validation/ascii.ts';
import type { JobSettings } from './settings.ts';
import { fieldPath, checkMaxItems, missingField } from '../validation/messages.ts';

/** Notification and health fields of a job or task. */
export type NotificationAndHealthSettings = Pick<
  JobSettings,
  'email_notifications' | 'webhook_notifications' | 'health'
>;

/**
 * Refuses non-ASCII addresses, too many webhooks and incomplete health rules.
 * @throws ServiceError INVALID_PARAMETER_VALUE that names field, value and rule
 */
export function checkNotifications(
  path: string,
  holder: NotificationAndHealthSettings,
  limits: Limits,
): void {
  const { email_notifications: emails = {}, webhook_notifications: webhooks = {}, health = {} } = holder;
  for (const list of subscribableEvents) {
    checkAsciiList(fieldPath(path, `email_notifications.${list}`), emails[list]);
    checkMaxItems(
      fieldPath(path, `webhook_notifications.${list}`),
      webhooks[list] ?? [],
      limits.webhooksPerList,
    );
  }
  for (const [index, rule] of (health.rules ?? []).entries()) {
    if (readAliased(rule, 'operator') === undefined)
      throw missingField(fieldPath(path, `health.rules[${index}].operator`));
  }
}
