/** Description of an all-purpose cluster in a request, with the values of its policy. */
import { applyPolicy } from '../../engine/cluster/cluster-policy.ts';
import { invalid } from '../../engine/errors.ts';
import { checkCluster } from '../../engine/job/check-cluster.ts';
import { checkSupported } from '../../engine/job/fields/field-support.ts';
import { clusterRequestFields } from '../../engine/job/fields/resource-fields.ts';
import type { NewCluster } from '../../engine/job/cluster.ts';
import type { ClusterPorts } from '../http/ports.ts';

/**
 * Returns the description with the values that its policy supplies.
 * @throws ServiceError for a description that breaks a rule of its policy, and for an invalid one
 */
export function describeCluster(
  { inventory, limits }: Pick<ClusterPorts, 'inventory' | 'limits'>,
  spec: NewCluster,
): NewCluster {
  checkSupported('', spec, clusterRequestFields);
  const described = applyPolicy(spec, inventory, 'ALL_PURPOSE');
  if ('error' in described) throw invalid(described.error);
  checkCluster('', described.spec, limits);
  return described.spec;
}
