/** POST preview/sql/dashboards. */
import { randomUUID } from 'node:crypto';
import { checkClassicDashboard, parseClassicId, ClassicImport } from '../../engine/dashboard/classic.ts';
import { ServiceError } from '../../engine/errors.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { DashboardPorts } from '../http/ports.ts';
import { ClassicDashboardDocument, toClassicDashboardView } from '../views/classic-dashboard-view.ts';

/**
 * Imports a classic dashboard as one document (input of spec 4.4).
 * @throws ServiceError for an invalid document; ALREADY_EXISTS for a taken id
 */
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
      'Stores a classic dashboard with its widgets, visualizations and queries as one document that can be migrated. An id in the document is kept.',
    request: ClassicImport,
    response: ClassicDashboardDocument,
    async handle(input, { caller }) {
      checkClassicDashboard(input, limits);
      const id = input.id === undefined ? randomUUID() : parseClassicId('id', input.id);
      const stored = { document: { ...input, id }, creator: caller.userName, createdTime: clock.now() };
      if (!(await classicDashboards.add(stored))) {
        throw new ServiceError(
          'ALREADY_EXISTS',
          `A classic dashboard with the id ${id} already exists; delete it first or omit the id.`,
        );
      }
      return toClassicDashboardView(stored);
    },
  });
}
