/** Validation of notifications and health rules beyond their schema (spec 2.9). */
import type { Limits } from '../limits.ts';
import { readAliased } from '../validation/aliases.ts';
import { subscribableEvents } from './notification-settings.ts';
import { checkAsciiList } from '../validation/ascii.ts';
import { checkSupported } from './fields/field-support.ts';
import { emailFields, webhookFields } from './fields/notification-fields.ts';
import type { JobSettings } from './settings.ts';
import { isEmailAddress } from '../validation/email-address.ts';
import { fieldPath, checkMaxItems, missingField, quote } from '../validation/messages.ts';
import { invalid } from '../errors.ts';

/** Notification and health fields of a job or task. */
export type NotificationAndHealthSettings = Pick<
  JobSettings,
  'email_notifications' | 'webhook_notifications' | 'health'
>;

/**
 * Refuses addresses that are none or not ASCII, unsupported events, too many webhooks and incomplete health
 * rules.
 * @throws ServiceError INVALID_PARAMETER_VALUE that names field, value and rule
 */
export function checkNotifications(
  path: string,
  holder: NotificationAndHealthSettings,
  limits: Limits,
): void {
  const { email_notifications: emails = {}, webhook_notifications: webhooks = {}, health = {} } = holder;
  checkSupported(fieldPath(path, 'email_notifications'), emails, emailFields);
  checkSupported(fieldPath(path, 'webhook_notifications'), webhooks, webhookFields);
  for (const list of subscribableEvents) {
    checkAddresses(fieldPath(path, `email_notifications.${list}`), emails[list]);
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

function checkAddresses(path: string, addresses: readonly string[] = []): void {
  checkAsciiList(path, addresses);
  const wrong = addresses.findIndex((address) => !isEmailAddress(address));
  if (wrong >= 0)
    throw invalid(
      `${path}[${wrong}] is ${quote(addresses[wrong])}; it must be an e-mail address, such as name@example.org.`,
    );
}
