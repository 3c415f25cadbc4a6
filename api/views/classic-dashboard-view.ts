/** A classic dashboard as it is shown, and the refusal of one that does not exist. */
import { Type } from 'typebox';
import { toIsoTime } from '../../engine/clock.ts';
import { ClassicDashboard } from '../../engine/dashboard/classic.ts';
import type { StoredClassicDashboard } from '../../engine/ports/dashboards.ts';
import { ServiceError } from '../../engine/errors.ts';
import { truncateText } from '../../engine/validation/messages.ts';

const timeFields = {
  created_at: Type.String({ description: 'ISO 8601, UTC; as it was brought in, or when it was.' }),
};

export const ClassicDashboardDocument = Type.Object(
  { ...ClassicDashboard.properties, ...timeFields },
  { description: 'A classic dashboard as it was brought in.' },
);

/** In a list: without widgets and queries. */
export const ClassicDashboardSummary = Type.Object(
  {
    id: ClassicDashboard.properties.id,
    name: ClassicDashboard.properties.name,
    tags: ClassicDashboard.properties.tags,
    ...timeFields,
    user: Type.Object({ name: Type.String({ description: 'Who brought it in.' }) }),
  },
  { description: 'A classic dashboard in a list.' },
);

/** With everything that was brought in, and when and by whom it was, unless the document says so itself. */
export function toClassicDashboardView({
  document,
  creator,
  createdTime,
}: StoredClassicDashboard): { readonly name: string; readonly tags?: string[] } & Record<string, unknown> {
  return { created_at: toIsoTime(createdTime), user: { name: creator }, ...document };
}

export function toClassicDashboardSummary(stored: StoredClassicDashboard): object {
  const { widgets: _widgets, queries: _queries, ...rest } = toClassicDashboardView(stored);
  return rest;
}

export const ClassicDashboardId = Type.String({ description: 'UUID of a classic dashboard.' });

export function classicDashboardNotFound(id: string): ServiceError {
  return new ServiceError('RESOURCE_DOES_NOT_EXIST', `Classic dashboard ${truncateText(id)} does not exist.`);
}
