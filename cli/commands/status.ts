/** `runyard status`: whether the service is ready, and what it is doing. */
import { Type } from 'typebox';
import { readPages, takeItems } from '../client/pages.ts';
import { RunDocument } from '../client/service-documents.ts';
import { printJson, wantsJson, type OutputOptions } from '../output/print-result.ts';
import { printLine } from './print-line.ts';
import { callService, findUnreadiness, serviceUrl } from './service-client.ts';

const Me = Type.Object({ userName: Type.String() });
const Nodes = Type.Object({
  nodes: Type.Array(Type.Object({ state: Type.String(), running_tasks: Type.Integer() })),
});
const Failed = Type.Object({ id: Type.String() });
/** More are not counted. */
const countMax = 1_000;

/** Prints the status. Resolves with the exit code: 0 when the service is ready, else 3. @throws CommandError */
export async function printStatus(options: OutputOptions): Promise<number> {
  const readiness = await findUnreadiness();
  const [{ userName }, { nodes }, active, failed] = await Promise.all([
    callService(Me, 'GET', '/preview/scim/v2/Me'),
    callService(Nodes, 'GET', '/nodes'),
    takeItems(
      readPages(
        { path: '/jobs/runs/list', field: 'runs', item: RunDocument, pageSize: ['limit', 100] },
        { active_only: true },
      ),
      countMax,
    ),
    takeItems(
      readPages(
        { path: '/notifications/deliveries', field: 'deliveries', item: Failed, pageSize: ['limit', 1_000] },
        { state: 'failed' },
      ),
      countMax,
    ),
  ]);
  const queued = active.filter(({ state }) => state.life_cycle_state === 'QUEUED').length;
  const alive = nodes.filter(({ state }) => state === 'ALIVE').length;
  const tasks = nodes.reduce((sum, { running_tasks: running }) => sum + running, 0);
  const status = {
    url: await serviceUrl(),
    user: userName,
    ready: readiness === undefined,
    ...(readiness !== undefined && { reason: readiness }),
    engines: { alive, silent: nodes.length - alive },
    runs: { active: active.length, queued },
    running_tasks: tasks,
    failed_deliveries: failed.length,
  };
  if (wantsJson(options)) printJson(status);
  else {
    printLine(`Service      ${status.url}, as ${userName}`);
    printLine(`Ready        ${readiness === undefined ? 'yes' : `no: ${readiness}`}`);
    printLine(
      `Engines      ${alive} alive${alive === nodes.length ? '' : `, ${nodes.length - alive} silent`}`,
    );
    printLine(`Active runs  ${count(active.length)}, ${count(queued)} of them in the queue`);
    printLine(`Tasks        ${tasks} running`);
    printLine(
      `Deliveries   ${failed.length === 0 ? 'none failed' : `${count(failed.length)} failed: runyard deliveries list`}`,
    );
  }
  return readiness === undefined ? 0 : 3;
}

function count(value: number): string {
  return value === countMax ? `${countMax} or more` : String(value);
}
