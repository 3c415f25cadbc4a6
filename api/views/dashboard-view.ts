/** Dashboard in responses (spec 2.12). */
import { Type } from 'typebox';
import { toIsoTime } from '../../engine/clock.ts';
import { dashboardPath } from '../../engine/dashboard/names.ts';
import type { Dashboard, DashboardListEntry } from '../../engine/ports/dashboards.ts';
import { ServiceError } from '../../engine/errors.ts';
import { truncateText } from '../../engine/validation/messages.ts';

const summaryFields = {
  dashboard_id: Type.String({ description: 'Id, 32 hexadecimal digits.' }),
  display_name: Type.String({ description: 'Title of the dashboard.' }),
  create_time: Type.String({ description: 'ISO 8601, UTC.' }),
  warehouse_id: Type.String({
    description: 'Warehouse of its queries; empty if the classic dashboard names none.',
  }),
  lifecycle_state: Type.Enum(['ACTIVE', 'TRASHED']),
};

/** Entry of a list. */
export const DashboardSummary = Type.Object(summaryFields, { description: 'Dashboard in a list.' });

export const DashboardDocument = Type.Object(
  {
    ...summaryFields,
    path: Type.String({ description: 'parent_path, display name, and the suffix of dashboard files.' }),
    parent_path: Type.String({ description: 'Workspace folder, without trailing slash.' }),
    update_time: Type.String({ description: 'ISO 8601, UTC.' }),
    etag: Type.String({ description: 'Decimal digits; increases with each change.' }),
    serialized_dashboard: Type.String({ description: 'JSON document with datasets and pages.' }),
    source_dashboard_id: Type.String({ description: 'Id of the classic dashboard it was migrated from.' }),
    warnings: Type.Array(Type.String(), {
      description: 'Parts that the migration approximated or omitted, one sentence each.',
    }),
  },
  { description: 'Dashboard of the new format.' },
);

/** Returns the list entry of a dashboard. */
export function toDashboardSummary({
  dashboardId,
  displayName,
  createdTime,
  warehouseId,
  trashed,
}: DashboardListEntry | Dashboard) {
  return {
    dashboard_id: dashboardId,
    display_name: displayName,
    create_time: toIsoTime(createdTime),
    warehouse_id: warehouseId,
    lifecycle_state: trashed ? 'TRASHED' : 'ACTIVE',
  };
}

/** Returns the document of a dashboard. */
export function toDashboardView(dashboard: Dashboard) {
  const { parentPath, displayName, updatedTime, etag, serialized, sourceDashboardId, warnings } = dashboard;
  return {
    ...toDashboardSummary(dashboard),
    path: dashboardPath(parentPath, displayName),
    parent_path: parentPath,
    update_time: toIsoTime(updatedTime),
    etag: String(etag),
    serialized_dashboard: serialized,
    source_dashboard_id: sourceDashboardId,
    warnings,
  };
}

export const DashboardId = Type.String({ description: 'Id of a dashboard of the new format.' });

/** Normalizes an id: clients also send it as a UUID with hyphens. */
export function parseDashboardId(text: string): string {
  // PostgreSQL rejects U+0000 in text.
  return text.toLowerCase().replaceAll(/[-\0]/g, '');
}

/** Returns the error of an unknown dashboard. */
export function dashboardNotFound(id: string): ServiceError {
  return new ServiceError('RESOURCE_DOES_NOT_EXIST', `Dashboard ${truncateText(id)} does not exist.`);
}
