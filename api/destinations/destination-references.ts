/**
 * Checks that webhook notifications reference existing destinations; deliveries to others would fail
 * silently.
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
 * Checks the destinations of a job or submission and of its tasks.
 * @param path path of the settings in the error message
 * @throws ServiceError for the first unknown destination
 */
export async function checkDestinationReferences(
  destinations: Pick<DestinationStore, 'findUnknownIds'>,
  path: string,
  settings: SettingsWithTasks,
): Promise<void> {
  const references = [
    ...listDestinationReferences(path, settings),
    ...(settings.tasks ?? []).flatMap((task, index) =>
      listDestinationReferences(fieldPath(path, `tasks[${index}]`), task),
    ),
  ];
  if (references.length === 0) return;
  const unknown = new Set(await destinations.findUnknownIds([...new Set(references.map(({ id }) => id))]));
  const missing = references.find(({ id }) => unknown.has(id));
  if (missing !== undefined)
    throw invalid(`${missing.field} is ${quote(missing.id)}; no notification destination has this id.`);
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
