/** Classic dashboard in responses. */
import { Type } from 'typebox';
import { toIsoTime } from '../../engine/clock.ts';
import { ClassicDashboard } from '../../engine/dashboard/classic.ts';
import type { StoredClassicDashboard } from '../../engine/ports/dashboards.ts';
import { ServiceError } from '../../engine/errors.ts';
import { truncateText } from '../../engine/validation/messages.ts';

const timeFields = {
  created_at: Type.String({
    description: 'ISO 8601, UTC: the value of the imported document, or the time of the import.',
  }),
};

export const ClassicDashboardDocument = Type.Object(
  { ...ClassicDashboard.properties, ...timeFields },
  { description: 'Classic dashboard as it was imported.' },
);

/** Entry of a list, without widgets and queries. */
export const ClassicDashboardSummary = Type.Object(
  {
    id: ClassicDashboard.properties.id,
    name: ClassicDashboard.properties.name,
    tags: ClassicDashboard.properties.tags,
    ...timeFields,
    user: Type.Object({ name: Type.String({ description: 'User who imported it.' }) }),
  },
  { description: 'Classic dashboard in a list.' },
);

/** Returns the imported document; import time and user are added unless the document contains them. */
export function toClassicDashboardView({
  document,
  creator,
  createdTime,
}: StoredClassicDashboard): { readonly name: string; readonly tags?: string[] } & Record<string, unknown> {
  return { created_at: toIsoTime(createdTime), user: { name: creator }, ...document };
}

/** Returns the list entry of a classic dashboard. */
export function toClassicDashboardSummary(stored: StoredClassicDashboard): object {
  const { widgets: _widgets, queries: _queries, ...rest } = toClassicDashboardView(stored);
  return rest;
}

export const ClassicDashboardId = Type.String({ description: 'UUID of a classic dashboard.' });

/** Returns the error of an unknown classic dashboard. */
export function classicDashboardNotFound(id: string): ServiceError {
  return new ServiceError('RESOURCE_DOES_NOT_EXIST', `Classic dashboard ${truncateText(id)} does not exist.`);
}
