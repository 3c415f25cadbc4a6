/** All operations on dashboards, under their neutral paths and under the other spelling of them. */
import { dashboardPathAlias } from '../../engine/validation/aliases.ts';
import { deleteClassicDashboardOperation } from '../classic-dashboards/delete.ts';
import { getClassicDashboardOperation } from '../classic-dashboards/get.ts';
import { importClassicDashboardOperation } from '../classic-dashboards/import.ts';
import { listClassicDashboardsOperation } from '../classic-dashboards/list.ts';
import type { Operation } from '../http/operation.ts';
import type { DashboardPorts } from '../http/ports.ts';
import { getDashboardOperation } from './get.ts';
import { listDashboardsOperation } from './list.ts';
import { migrateDashboardOperation } from './migrate.ts';
import { queryDashboardOperation } from './query.ts';
import { trashDashboardOperation } from './trash.ts';

const operationFactories = [
  importClassicDashboardOperation,
  listClassicDashboardsOperation,
  getClassicDashboardOperation,
  deleteClassicDashboardOperation,
  migrateDashboardOperation,
  listDashboardsOperation,
  getDashboardOperation,
  trashDashboardOperation,
  queryDashboardOperation,
];

export function createDashboardOperations(ports: DashboardPorts): Operation[] {
  return operationFactories
    .map((make) => make(ports))
    .flatMap((operation) => [operation, ...createDeprecatedAliases(operation)]);
}

function createDeprecatedAliases(operation: Operation): Operation[] {
  return Object.entries(dashboardPathAlias)
    .filter(([, neutral]) => operation.path.startsWith(`/${neutral}/`))
    .map(([alias, neutral]) => ({
      ...operation,
      path: `/${alias}${operation.path.slice(neutral.length + 1)}`,
    }));
}
