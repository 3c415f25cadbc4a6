/** GET clusters/list-zones. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';

/** Zone of this machine, on which all nodes run. */
const localZone = 'local';

/** Lists the zones of clusters. */
export function listZonesOperation(): Operation {
  return defineOperation({
    method: 'GET',
    path: '/clusters/list-zones',
    versions: ['2.1', '2.0'],
    scope: 'clusters',
    summary: 'List zones',
    description: 'Lists the zones of nodes: one, because all nodes run on this machine.',
    request: Type.Object({}),
    response: Type.Object({
      zones: Type.Array(Type.String(), { description: 'The zones.' }),
      default_zone: Type.String({ description: 'Zone of a cluster that names none.' }),
    }),
    handle: async () => ({ zones: [localZone], default_zone: localZone }),
  });
}
