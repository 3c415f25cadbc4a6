/** GET nodes: the engines that share this workspace, and what each of them drives. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { epochMsSchema } from '../views/time-schemas.ts';

const Node = Type.Object(
  {
    node_id: Type.String({ description: 'Id of this start of the engine.' }),
    host: Type.String({ description: 'Machine that it runs on.' }),
    pid: Type.Integer({ description: 'Its process there.' }),
    state: Type.Enum(['ALIVE', 'SILENT'], {
      description:
        'ALIVE while its lease is kept. SILENT: it ended without a word, is paused or cut off; other engines adopt its runs.',
    }),
    joined_time: epochMsSchema('When it was started'),
    lease_until: epochMsSchema('Until when its lease lasts if it is not renewed'),
    active_runs: Type.Integer({ minimum: 0, description: 'Runs that it drives.' }),
    running_tasks: Type.Integer({
      minimum: 0,
      description: 'Their task runs that have begun and are not over.',
    }),
  },
  { description: 'An engine as the others see it.' },
);

/** Lists the nodes; one that is gone without a word is shown for a day. */
export function listNodesOperation({ nodes }: Pick<OperationPorts, 'nodes'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/nodes',
    versions: ['2.0'],
    scope: 'clusters',
    summary: 'List the nodes',
    description:
      'The engines that share this database, those that joined first come first, with what each of them drives.',
    request: Type.Object({}),
    response: Type.Object({ nodes: Type.Array(Node, { description: 'The nodes.' }) }),
    async handle() {
      return {
        nodes: (await nodes.list()).map((node) => ({
          node_id: node.nodeId,
          host: node.host,
          pid: node.pid,
          state: node.alive ? 'ALIVE' : 'SILENT',
          joined_time: node.joinedTime,
          lease_until: node.leaseUntil,
          active_runs: node.activeRuns,
          running_tasks: node.runningTasks,
        })),
      };
    },
  });
}
