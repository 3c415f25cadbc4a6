/** `runyard dashboards`: imports, lists and migrates classic dashboards through the API. */
import { Type } from 'typebox';
import { readDocument } from '../client/read-document.ts';
import { toSingleLine, printDiagnostic, printLine } from './print-line.ts';
import { callService } from './service-client.ts';

export interface MigrateOptions {
  readonly name?: string;
  readonly folder?: string;
  readonly keepParameters?: true;
}

const Listed = Type.Object({
  count: Type.Integer(),
  results: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
});
const Migrated = Type.Object({
  dashboard_id: Type.String(),
  path: Type.String(),
  warnings: Type.Array(Type.String()),
});
const pageSize = 250;

/** Stores the dashboard and prints its id. Resolves with the exit code. @throws CommandError */
export async function importDashboard(file: string): Promise<number> {
  const body = await readDocument(file);
  const { id } = await callService(Type.Object({ id: Type.String() }), 'POST', '/preview/sql/dashboards', {
    body,
  });
  printLine(id);
  return 0;
}

/** Prints id and name of each dashboard, newest first. Resolves with the exit code. @throws CommandError */
export async function listClassicDashboards(): Promise<number> {
  for (let page = 1; ; page += 1) {
    const { count, results } = await callService(
      Listed,
      'GET',
      `/preview/sql/dashboards?page=${page}&page_size=${pageSize}`,
    );
    for (const { id, name } of results) printLine(`${id}  ${toSingleLine(name)}`);
    if (page * pageSize >= count) return 0;
  }
}

/** Prints id and path of the new dashboard, and warnings to stderr. Resolves with the exit code. */
export async function migrateDashboard(
  id: string,
  { name, folder, keepParameters }: MigrateOptions,
): Promise<number> {
  const {
    dashboard_id: dashboardId,
    path,
    warnings,
  } = await callService(Migrated, 'POST', '/modern/dashboards/migrate', {
    body: {
      source_dashboard_id: id,
      ...(name !== undefined && { display_name: name }),
      ...(folder !== undefined && { parent_path: folder }),
      update_parameter_syntax: keepParameters !== true,
    },
  });
  printLine(`${dashboardId}  ${path}`);
  for (const warning of warnings) printDiagnostic(toSingleLine(warning));
  return 0;
}
