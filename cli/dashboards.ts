/** `runyard dashboards`: brings classic dashboards in, lists and migrates them, over HTTP like any other client. */
import { readFile } from 'node:fs/promises';
import { Type, type Static, type TSchema } from 'typebox';
import { Parse } from 'typebox/value';
import { messageOf } from '../engine/errors.ts';
import { keptBootstrapToken } from './bootstrap-token.ts';
import { readClientVariables, readConfig } from './config.ts';
import { inOneLine, remark, say } from './say.ts';
import { CommandError } from './start-failure.ts';

export interface MigrateOptions {
  readonly name?: string;
  readonly folder?: string;
  readonly keepParameters?: true;
}

const Listed = Type.Object({ count: Type.Integer(), results: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })) });
const Migrated = Type.Object({ dashboard_id: Type.String(), path: Type.String(), warnings: Type.Array(Type.String()) });
const pageSize = 250;

/** Prints the id under which the dashboard is stored. Resolves with the exit code, as do the others. @throws CommandError */
export async function importDashboard(file: string): Promise<number> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => { throw new CommandError(`${file} cannot be read: ${messageOf(error)}.`); });
  say((await call(Type.Object({ id: Type.String() }), 'POST', '/preview/sql/dashboards', text)).id);
  return 0;
}

/** Prints a line with id and name for each, newest first. */
export async function listClassicDashboards(): Promise<number> {
  for (let page = 1; ; page += 1) {
    const { count, results } = await call(Listed, 'GET', `/preview/sql/dashboards?page=${page}&page_size=${pageSize}`);
    for (const { id, name } of results) say(`${id}  ${inOneLine(name)}`);
    if (page * pageSize >= count) return 0;
  }
}

/** Prints id and path of the new dashboard, and what was approximated beside the output. */
export async function migrateDashboard(id: string, { name, folder, keepParameters }: MigrateOptions): Promise<number> {
  const { dashboard_id: dashboardId, path, warnings } = await call(Migrated, 'POST', '/modern/dashboards/migrate', JSON.stringify({
    source_dashboard_id: id, ...(name !== undefined && { display_name: name }), ...(folder !== undefined && { parent_path: folder }),
    update_parameter_syntax: keepParameters !== true,
  }));
  say(`${dashboardId}  ${path}`);
  for (const warning of warnings) remark(inOneLine(warning));
  return 0;
}

/** One call of the service, with the refusal in its own words. */
async function call<Shape extends TSchema>(shape: Shape, method: 'GET' | 'POST', path: string, body?: string): Promise<Static<Shape>> {
  const { url, token } = await service();
  const response = await fetch(`${url}/api/2.0${path}`, { method, headers: { authorization: `Bearer ${token}` }, ...(body !== undefined && { body }) })
    .catch((error: unknown) => { throw new CommandError(`There is no service at ${url} (${causeOf(error)}): start it, or name it in RUNYARD_URL.`); });
  const text = await response.text();
  if (!response.ok) throw new CommandError(`The service refused: ${refusalIn(text)}`);
  return Parse(shape, JSON.parse(text));
}

/** Where the service is: as the variables of clients say, else as the configuration here says. */
async function service(): Promise<{ readonly url: string; readonly token: string }> {
  const given = readClientVariables();
  const config = readConfig();
  const url = given.url ?? config.publicUrl ?? `http://${config.host}:${config.port}`;
  const token = given.token ?? config.bootstrapToken ?? (await keptBootstrapToken(config.dataDirectory).catch(() => undefined));
  if (token === undefined || token === '') throw new CommandError(`There is no token to use at ${url}: set RUNYARD_TOKEN.`);
  return { url: url.replace(/\/$/, ''), token };
}

function causeOf(error: unknown): string {
  return messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
}

function refusalIn(text: string): string {
  try {
    return Parse(Type.Object({ message: Type.String() }), JSON.parse(text)).message;
  } catch {
    return inOneLine(text).slice(0, 300);
  }
}
