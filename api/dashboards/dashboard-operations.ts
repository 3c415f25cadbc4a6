/** All operations on dashboards, under their neutral paths and under the other spelling of them. */
import { dashboardPathAlias } from '../../engine/validation/aliases.ts';
import { deleteClassic } from '../classic-dashboards/delete.ts';
import { getClassic } from '../classic-dashboards/get.ts';
import { importClassic } from '../classic-dashboards/import.ts';
import { listClassic } from '../classic-dashboards/list.ts';
import type { Operation } from '../http/operation.ts';
import type { DashboardPorts } from '../http/ports.ts';
import { getDashboard } from './get.ts';
import { listDashboards } from './list.ts';
import { migrateDashboard } from './migrate.ts';
import { queryDashboard } from './query.ts';
import { trashDashboard } from './trash.ts';

const makers = [
  importClassic,
  listClassic,
  getClassic,
  deleteClassic,
  migrateDashboard,
  listDashboards,
  getDashboard,
  trashDashboard,
  queryDashboard,
];

export function dashboardOperations(ports: DashboardPorts): Operation[] {
  return makers.map((make) => make(ports)).flatMap((operation) => [operation, ...otherSpellings(operation)]);
}

function otherSpellings(operation: Operation): Operation[] {
  return Object.entries(dashboardPathAlias)
    .filter(([, neutral]) => operation.path.startsWith(`/${neutral}/`))
    .map(([alias, neutral]) => ({
      ...operation,
      path: `/${alias}${operation.path.slice(neutral.length + 1)}`,
    }));
}
