/** GET nodes. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { epochMsSchema } from '../views/time-schemas.ts';

const Node = Type.Object(
  {
    node_id: Type.String({ description: 'Id of the node; every start of an engine gets a new one.' }),
    host: Type.String({ description: 'Host name.' }),
    pid: Type.Integer({ description: 'Process id on the host.' }),
    state: Type.Enum(['ALIVE', 'SILENT'], {
      description:
        'ALIVE: the lease is valid. SILENT: the lease expired because the node crashed, is paused or disconnected; other nodes adopt its runs.',
    }),
    joined_time: epochMsSchema('Start time'),
    lease_until: epochMsSchema('Expiry of the lease without another heartbeat'),
    active_runs: Type.Integer({ minimum: 0, description: 'Active runs that the node drives.' }),
    running_tasks: Type.Integer({ minimum: 0, description: 'Running tasks of these runs.' }),
  },
  { description: 'Engine node.' },
);

/** Lists the engine nodes of the workspace. A node that disappeared stays in the list for a day. */
export function listNodesOperation({ nodes }: Pick<OperationPorts, 'nodes'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/nodes',
    versions: ['2.0'],
    scope: 'clusters',
    summary: 'List nodes',
    description:
      'Lists the engine nodes that share this database, oldest first, with the runs each of them drives.',
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
