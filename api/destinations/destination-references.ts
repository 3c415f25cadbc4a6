/**
 * Webhooks of a job or submission must name destinations that exist: a notice to nobody would be lost in
 * silence.
 */
import { invalid } from '../../engine/errors.ts';
import { subscribableEvents } from '../../engine/job/notification-settings.ts';
import type { RoutingSettings } from '../../engine/notification/routing.ts';
import { fieldPath, quote } from '../../engine/validation/messages.ts';
import type { DestinationStore } from '../../engine/ports/notifications.ts';

interface SettingsWithTasks extends RoutingSettings {
  readonly tasks?: readonly RoutingSettings[];
}

/**
 * @param path where the settings stand, for the refusal @throws ServiceError that names the first unknown one
 */
export async function checkDestinationReferences(
  destinations: Pick<DestinationStore, 'findUnknownIds'>,
  path: string,
  settings: SettingsWithTasks,
): Promise<void> {
  const named = [
    ...listDestinationReferences(path, settings),
    ...(settings.tasks ?? []).flatMap((task, index) =>
      listDestinationReferences(fieldPath(path, `tasks[${index}]`), task),
    ),
  ];
  if (named.length === 0) return;
  const unknown = new Set(await destinations.findUnknownIds([...new Set(named.map(({ id }) => id))]));
  const wrong = named.find(({ id }) => unknown.has(id));
  if (wrong !== undefined)
    throw invalid(`${wrong.field} is ${quote(wrong.id)}; no notification destination has this id.`);
}

function listDestinationReferences(
  path: string,
  { webhook_notifications: webhooks = {} }: RoutingSettings,
): { field: string; id: string }[] {
  return subscribableEvents.flatMap((list) =>
    (webhooks[list] ?? []).map(({ id }, index) => ({
      field: fieldPath(path, `webhook_notifications.${list}[${index}].id`),
      id,
    })),
  );
}
