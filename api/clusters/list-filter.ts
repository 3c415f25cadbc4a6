/** Filter and order of clusters/list. */
import { Type, type Static } from 'typebox';
import type { ClusterListFilter } from '../../engine/ports/clusters.ts';

const clusterStates = [
  'PENDING',
  'RUNNING',
  'RESTARTING',
  'RESIZING',
  'TERMINATING',
  'TERMINATED',
  'ERROR',
  'UNKNOWN',
] as const;

const clusterSources = ['API', 'JOB', 'UI', 'MODELS', 'PIPELINE', 'PIPELINE_MAINTENANCE', 'SQL'] as const;

export const clusterListFilterFields = {
  filter_by: Type.Optional(
    Type.Object(
      {
        cluster_states: Type.Optional(
          Type.Array(Type.Enum([...clusterStates]), {
            description: 'Only clusters in these states. No cluster is TERMINATING, ERROR or UNKNOWN.',
          }),
        ),
        cluster_sources: Type.Optional(
          Type.Array(Type.Enum([...clusterSources]), {
            description: 'Only clusters from these sources; all clusters are from API or JOB.',
          }),
        ),
        is_pinned: Type.Optional(
          Type.Boolean({ description: 'Only clusters that are pinned, or that are not.' }),
        ),
        policy_id: Type.Optional(Type.String({ description: 'Only clusters with this policy.' })),
      },
      { description: 'Conditions that all listed clusters meet; an empty list is no condition.' },
    ),
  ),
  sort_by: Type.Optional(
    Type.Object(
      {
        field: Type.Optional(
          Type.Enum(['DEFAULT', 'CLUSTER_NAME'], {
            description: 'DEFAULT: active clusters first, then pinned ones, then by name.',
          }),
        ),
        direction: Type.Optional(Type.Enum(['ASC', 'DESC'], { description: 'Direction. Default: ASC.' })),
      },
      { description: 'Order. Default: newest first.' },
    ),
  ),
};

type FilterRequest = Static<ReturnType<typeof Type.Object<typeof clusterListFilterFields>>>;

/** Returns the filter and the order that a request asks for. */
export function toClusterListFilter({
  filter_by: { cluster_states: states = [], cluster_sources: sources = [], ...filter } = {},
  sort_by: order,
}: FilterRequest): ClusterListFilter {
  return {
    states: states.length === 0 ? undefined : states,
    kinds:
      sources.length === 0
        ? undefined
        : sources.flatMap((source) =>
            source === 'API' ? ['ALL_PURPOSE' as const] : source === 'JOB' ? ['JOB' as const] : [],
          ),
    pinned: filter.is_pinned,
    policyId: filter.policy_id,
    order:
      order === undefined
        ? undefined
        : { field: order.field ?? 'DEFAULT', descending: order.direction === 'DESC' },
  };
}
