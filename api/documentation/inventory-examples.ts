/** Examples of operations on instance pools and cluster policies. */
import type { Example } from './example.ts';

const poolId = '1121-101010-pool-abcd1234';
const policyId = '1121-101010-policy-abcd1234';
const poolSettings = { instance_pool_name: 'small', node_type_id: 'standard-4', max_capacity: 8 };
const pool = {
  instance_pool_id: poolId,
  ...poolSettings,
  state: 'ACTIVE',
  stats: { used_count: 3, idle_count: 0, pending_used_count: 0, pending_idle_count: 0 },
  status: {},
};
const policySettings = {
  name: 'nightly',
  definition: '{"autoscale.max_workers":{"type":"range","maxValue":8,"isOptional":true}}',
};
const policy = {
  policy_id: policyId,
  ...policySettings,
  creator_user_name: 'ann@example.org',
  created_at_timestamp: 1_772_409_600_000,
  is_default: false,
};
const byPoolId = { instance_pool_id: poolId };
const byPolicyId = { policy_id: policyId };

export const inventoryExamples: Readonly<Record<string, Example>> = {
  'POST /instance-pools/create': { request: poolSettings, answer: byPoolId },
  'GET /instance-pools/get': { request: byPoolId, answer: pool },
  'GET /instance-pools/list': { request: {}, answer: { instance_pools: [pool] } },
  'POST /instance-pools/edit': { request: { ...byPoolId, ...poolSettings, max_capacity: 16 }, answer: {} },
  'POST /instance-pools/delete': { request: byPoolId, answer: {} },
  'POST /policies/clusters/create': { request: policySettings, answer: byPolicyId },
  'GET /policies/clusters/get': { request: byPolicyId, answer: policy },
  'GET /policies/clusters/list': { request: {}, answer: { policies: [policy] } },
  'POST /policies/clusters/edit': {
    request: { ...byPolicyId, ...policySettings, name: 'nightly-loads' },
    answer: {},
  },
  'POST /policies/clusters/delete': { request: byPolicyId, answer: {} },
};
