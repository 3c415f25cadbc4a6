/** A dashboard as it is shown (spec 2.12), and the refusal of one that does not exist. */
import { Type } from 'typebox';
import { toIsoTime } from '../../engine/clock.ts';
import { dashboardPath } from '../../engine/dashboard/names.ts';
import type { Dashboard, DashboardListEntry } from '../../engine/ports/dashboards.ts';
import { ServiceError } from '../../engine/errors.ts';
import { truncateText } from '../../engine/validation/messages.ts';

const summaryFields = {
  dashboard_id: Type.String({ description: '32 hexadecimal digits.' }),
  display_name: Type.String({ description: 'Its title.' }),
  create_time: Type.String({ description: 'ISO 8601, UTC.' }),
  warehouse_id: Type.String({
    description: 'What runs its queries; empty when the classic dashboard did not say.',
  }),
  lifecycle_state: Type.Enum(['ACTIVE', 'TRASHED']),
};

/** As lists show it. */
export const DashboardSummary = Type.Object(summaryFields, { description: 'A dashboard in a list.' });

export const DashboardDocument = Type.Object(
  {
    ...summaryFields,
    path: Type.String({ description: 'parent_path, the name, and the suffix of dashboard files.' }),
    parent_path: Type.String({ description: 'Folder of the workspace, without a slash at the end.' }),
    update_time: Type.String({ description: 'ISO 8601, UTC.' }),
    etag: Type.String({ description: 'Decimal digits; raised by each change.' }),
    serialized_dashboard: Type.String({ description: 'A JSON document with datasets and pages.' }),
    source_dashboard_id: Type.String({ description: 'The classic dashboard that it was made from.' }),
    warnings: Type.Array(Type.String(), {
      description: 'What the migration approximated or left out, one sentence each.',
    }),
  },
  { description: 'A dashboard of the newer format.' },
);

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

export const DashboardId = Type.String({ description: 'Id of a dashboard of the newer format.' });

/** Ids are told apart by their digits: a UUID is as good as the same digits without hyphens. */
export function parseDashboardId(text: string): string {
  // The database holds no NUL character, and no id has one.
  return text.toLowerCase().replaceAll(/[-\0]/g, '');
}

export function dashboardNotFound(id: string): ServiceError {
  return new ServiceError('RESOURCE_DOES_NOT_EXIST', `Dashboard ${truncateText(id)} does not exist.`);
}
