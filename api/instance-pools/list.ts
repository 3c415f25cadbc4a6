/** GET instance-pools/list. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { InstancePoolDocument, toConfiguredPoolViews, toPoolView } from './pool-view.ts';

/** Lists the instance pools: those of the configuration and those that the API manages. */
export function listInstancePoolsOperation({
  inventory,
  inventoryControl,
}: Pick<ClusterPorts, 'inventory' | 'inventoryControl'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/instance-pools/list',
    versions: ['2.0'],
    scope: 'clusters',
    summary: 'List instance pools',
    description: 'Lists the instance pools that RUNYARD_CLUSTERS defines, then those created by this API.',
    request: Type.Object({}),
    response: Type.Object({
      instance_pools: Type.Array(InstancePoolDocument, { description: 'The pools.' }),
    }),
    async handle() {
      const managed = await inventoryControl.listPools();
      const useOf = await inventoryControl.countPoolUse();
      return {
        instance_pools: [
          ...toConfiguredPoolViews(inventory, managed, useOf),
          ...managed.map((pool) => toPoolView(pool, useOf(pool.instancePoolId))),
        ],
      };
    },
  });
}
