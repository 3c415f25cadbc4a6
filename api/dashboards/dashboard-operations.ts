/** Operations on dashboards, in the order of the documentation. */
import { dashboardPathAlias } from '../../engine/validation/aliases.ts';
import { deleteClassicDashboardOperation } from '../classic-dashboards/delete.ts';
import { getClassicDashboardOperation } from '../classic-dashboards/get.ts';
import { importClassicDashboardOperation } from '../classic-dashboards/import.ts';
import { listClassicDashboardsOperation } from '../classic-dashboards/list.ts';
import { withDeprecatedAliases } from '../http/deprecated-aliases.ts';
import type { Operation } from '../http/operation.ts';
import type { DashboardPorts } from '../http/ports.ts';
import { getDashboardOperation } from './get.ts';
import { listDashboardsOperation } from './list.ts';
import { migrateDashboardOperation } from './migrate.ts';
import { queryDashboardOperation } from './query.ts';
import { trashDashboardOperation } from './trash.ts';

/** Creates the operations on classic and modern dashboards, with the deprecated aliases of their paths. */
export function createDashboardOperations(ports: DashboardPorts): Operation[] {
  const operations = [
    importClassicDashboardOperation,
    listClassicDashboardsOperation,
    getClassicDashboardOperation,
    deleteClassicDashboardOperation,
    migrateDashboardOperation,
    listDashboardsOperation,
    getDashboardOperation,
    trashDashboardOperation,
    queryDashboardOperation,
  ].map((create) => create(ports));
  return withDeprecatedAliases(operations, dashboardPathAlias);
}
