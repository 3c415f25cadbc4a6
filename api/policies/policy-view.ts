/** Cluster policy in requests and responses. */
import { Type, type Static } from 'typebox';
import type { StoredPolicy } from '../../engine/cluster/cluster-policy.ts';
import type { ClusterPolicy, Inventory } from '../../engine/cluster/inventory.ts';
import { parsePolicyDefinition } from '../../engine/cluster/policy-rules.ts';
import type { PolicyDescription } from '../../engine/coordinator/inventory-control.ts';
import { checkSupported } from '../../engine/job/fields/field-support.ts';
import { clusterPolicyFields } from '../../engine/job/fields/resource-fields.ts';
import { missingField } from '../../engine/validation/messages.ts';
import { epochMsSchema } from '../views/time-schemas.ts';

export const PolicyId = Type.String({ minLength: 1, description: 'Id of the policy.' });

/** Settings of a policy in requests. */
export const policyFields = {
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Name of the policy; no other policy has it. Required.',
    }),
  ),
  definition: Type.Optional(
    Type.String({
      maxLength: 100_000,
      description: 'Rules as a JSON object: attribute path -> rule. Default: no rules.',
    }),
  ),
  description: Type.Optional(Type.String({ maxLength: 1_000, description: 'Description. Default: empty.' })),
  max_clusters_per_user: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'All-purpose clusters with this policy that a user may have active. Default: unlimited.',
    }),
  ),
};

export const PolicyDocument = Type.Object(
  {
    policy_id: Type.String({ description: 'Id to use in cluster specifications.' }),
    name: Type.String({ description: 'Name; that of a configured policy is its id.' }),
    definition: Type.String({ description: 'Rules as a JSON document.' }),
    description: Type.Optional(Type.String({ description: 'Description.' })),
    max_clusters_per_user: Type.Optional(
      Type.Integer({ description: 'All-purpose clusters that a user may have active.' }),
    ),
    creator_user_name: Type.Optional(Type.String({ description: 'Creator; absent for a configured one.' })),
    created_at_timestamp: Type.Optional(epochMsSchema('Time of the creation')),
    is_default: Type.Boolean({ description: 'Always false.' }),
  },
  { description: 'Cluster policy.' },
);

const policyRequest = Type.Object(policyFields);

/**
 * Returns the policy that a request describes.
 * @throws ServiceError for a missing name, an invalid definition, and an unsupported field
 */
export function parsePolicy(request: Static<typeof policyRequest>): PolicyDescription {
  checkSupported('', request, clusterPolicyFields);
  const { name, definition = '{}', description = '', max_clusters_per_user: maxClustersPerUser } = request;
  if (name === undefined) throw missingField('name');
  parsePolicyDefinition(definition);
  return { name, definition, description, maxClustersPerUser };
}

/** Returns the document of a managed policy. */
export function toPolicyView(policy: StoredPolicy): object {
  const { maxClustersPerUser } = policy;
  return {
    policy_id: policy.policyId,
    name: policy.name,
    definition: policy.definition,
    ...(policy.description !== '' && { description: policy.description }),
    ...(maxClustersPerUser !== undefined && { max_clusters_per_user: maxClustersPerUser }),
    creator_user_name: policy.creator,
    created_at_timestamp: policy.createdTime,
    is_default: false,
  };
}

/** Returns the documents of the configured policies; their values are defaults. */
export function toConfiguredPolicyViews({ policies }: Pick<Inventory, 'policies'>): object[] {
  return Object.entries(policies)
    .filter(([, { rules }]) => rules === undefined)
    .map(([id, policy]) => ({
      policy_id: id,
      name: id,
      definition: JSON.stringify(definitionOf(policy)),
      is_default: false,
    }));
}

function definitionOf(policy: ClusterPolicy): object {
  const rules = Object.entries(policy).map(([field, value]) => [
    field,
    { type: 'unlimited', defaultValue: value, isOptional: true },
  ]);
  return Object.fromEntries(rules);
}
