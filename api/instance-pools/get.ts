/** GET instance-pools/get. */
import { Type } from 'typebox';
import { poolNotFound } from '../../engine/coordinator/inventory-control.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ClusterPorts } from '../http/ports.ts';
import { InstancePoolDocument, InstancePoolId, toConfiguredPoolViews, toPoolView } from './pool-view.ts';

/**
 * Returns an instance pool.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for an unknown pool
 */
export function getInstancePoolOperation({
  inventory,
  inventoryControl,
}: Pick<ClusterPorts, 'inventory' | 'inventoryControl'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/instance-pools/get',
    versions: ['2.0'],
    scope: 'clusters',
    summary: 'Get an instance pool',
    description: 'Returns an instance pool with the number of its nodes that clusters hold and wait for.',
    request: Type.Object({ instance_pool_id: InstancePoolId }),
    response: InstancePoolDocument,
    async handle({ instance_pool_id: poolId }) {
      const managed = await inventoryControl.listPools();
      const useOf = await inventoryControl.countPoolUse();
      const pool = managed.find((one) => one.instancePoolId === poolId);
      if (pool !== undefined) return toPoolView(pool, useOf(poolId));
      const { pools } = inventory;
      const configured = Object.hasOwn(pools, poolId) ? pools[poolId] : undefined;
      const [view] =
        configured === undefined
          ? []
          : toConfiguredPoolViews({ pools: { [poolId]: configured } }, managed, useOf);
      if (view === undefined) throw poolNotFound(poolId);
      return view;
    },
  });
}
