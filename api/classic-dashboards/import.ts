/** POST preview/sql/dashboards: brings in a classic dashboard as one document. */
import { randomUUID } from 'node:crypto';
import { checkClassicDashboard, parseClassicId, ClassicImport } from '../../engine/dashboard/classic.ts';
import { ServiceError } from '../../engine/errors.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { DashboardPorts } from '../http/ports.ts';
import { ClassicDashboardDocument, toClassicDashboardView } from '../views/classic-dashboard-view.ts';

/** An id that is taken is 409 ALREADY_EXISTS. */
export function importClassicDashboardOperation({
  classicDashboards,
  clock,
  limits,
}: DashboardPorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/preview/sql/dashboards',
    versions: ['2.0'],
    scope: 'dashboards',
    summary: 'Import a classic dashboard',
    description:
      'Stores a classic dashboard with its widgets, visualizations and queries as one document, ready to be migrated. Its id is kept when it has one.',
    request: ClassicImport,
    response: ClassicDashboardDocument,
    async handle(input, { caller }) {
      checkClassicDashboard(input, limits);
      const id = input.id === undefined ? randomUUID() : parseClassicId('id', input.id);
      const stored = { document: { ...input, id }, creator: caller.userName, createdTime: clock.now() };
      if (!(await classicDashboards.add(stored))) {
        throw new ServiceError(
          'ALREADY_EXISTS',
          `There is a classic dashboard with the id ${id} already; delete it first, or leave the id out.`,
        );
      }
      return toClassicDashboardView(stored);
    },
  });
}
