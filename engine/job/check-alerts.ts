/** What notifications and health rules must meet beyond their schema (spec 2.9). */
import type { Limits } from '../limits.ts';
import { pick } from '../validation/aliases.ts';
import { alertLists } from './alerts.ts';
import { checkAsciiList } from '../validation/ascii.ts';
import type { JobSettings } from './settings.ts';
import { at, checkCount, missing } from '../validation/messages.ts';

/** The notification fields of a job or a task. */
export type AlertHolder = Pick<JobSettings, 'email_notifications' | 'webhook_notifications' | 'health'>;

/**
 * Refuses non-ASCII addresses, too many webhooks and incomplete health rules.
 * @throws ServiceError INVALID_PARAMETER_VALUE that names field, value and rule
 */
export function checkAlerts(path: string, holder: AlertHolder, limits: Limits): void {
  const { email_notifications: emails = {}, webhook_notifications: webhooks = {}, health = {} } = holder;
  for (const list of alertLists) {
    checkAsciiList(at(path, `email_notifications.${list}`), emails[list]);
    checkCount(at(path, `webhook_notifications.${list}`), webhooks[list] ?? [], limits.webhooksPerList);
  }
  for (const [index, rule] of (health.rules ?? []).entries()) {
    if (pick(rule, 'operator') === undefined) throw missing(at(path, `health.rules[${index}].operator`));
  }
}
