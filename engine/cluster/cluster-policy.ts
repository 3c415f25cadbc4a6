/** Cluster policies: the values that they supply to clusters, and the limits that clusters must keep. */
import { quote } from '../validation/messages.ts';
import type { JsonObject } from '../validation/json-object.ts';
import { hasWildcard, splitAttributePath, valuesAt, withValueAt } from './attribute-path.ts';
import type { ClusterKind } from './cluster.ts';
import type { ClusterPolicy, Inventory } from './inventory.ts';
import {
  parsePolicyDefinition,
  type PolicyRule,
  type PolicyRules,
  type PolicyValue,
} from './policy-rules.ts';

/** Policy that the API manages. */
export interface StoredPolicy {
  readonly policyId: string;
  readonly name: string;
  /** JSON text as written. */
  readonly definition: string;
  readonly description: string;
  /** Clusters that one user may have at a time; undefined: unlimited. */
  readonly maxClustersPerUser: number | undefined;
  readonly creator: string;
  readonly createdTime: number;
}

/** Attributes that a policy supplies by default, whatever apply_policy_default_values says (spec 2.8). */
const suppliedFields = ['node_type_id', 'driver_node_type_id', 'instance_pool_id'] as const;

/** Attributes of every cluster that its description does not have. */
const virtualAttributes = (kind: ClusterKind): JsonObject => ({
  cluster_type: kind === 'JOB' ? 'job' : 'all-purpose',
  // Nodes of this machine cost nothing.
  dbus_per_hour: 0,
});

/** Returns a managed policy as an entry of the inventory. */
export function toClusterPolicy({ definition, maxClustersPerUser }: StoredPolicy): ClusterPolicy {
  const rules = parsePolicyDefinition(definition);
  const supplied = suppliedFields.flatMap((field) => {
    const rule = Object.hasOwn(rules, field) ? rules[field] : undefined;
    const value = rule === undefined ? undefined : suppliedValue(rule);
    return typeof value === 'string' ? [[field, value]] : [];
  });
  return {
    ...Object.fromEntries(supplied),
    rules,
    ...(maxClustersPerUser !== undefined && { maxClustersPerUser }),
  };
}

function suppliedValue(rule: PolicyRule): PolicyValue | undefined {
  switch (rule.type) {
    case 'fixed':
      return rule.value;
    case 'forbidden':
      return undefined;
    default:
      return rule.defaultValue;
  }
}

/**
 * Returns a cluster with the values that its policy supplies: fixed ones, and default ones if the cluster has
 * `apply_policy_default_values` or the value is a node type or pool. Returns `error` for a cluster that breaks a rule
 * of the policy. A cluster without a policy, or with an unknown one, is returned as it is.
 */
export function applyPolicy<Spec extends object>(
  spec: Spec,
  { policies, sparkVersions }: Pick<Inventory, 'policies' | 'sparkVersions'>,
  kind: ClusterKind,
): { readonly spec: Spec } | { readonly error: string } {
  const fields: JsonObject = Object.fromEntries(Object.entries(spec));
  const policyId = fields['policy_id'];
  const policy =
    typeof policyId === 'string' && Object.hasOwn(policies, policyId) ? policies[policyId] : undefined;
  if (policy?.rules === undefined) return { spec };
  const rules = resolveVersions(policy.rules, sparkVersions);
  const supplied = supplyValues(fields, rules);
  const broken = findBrokenRule({ ...supplied, ...virtualAttributes(kind) }, rules);
  // The values of a policy are checked with the description that contains them.
  return broken === undefined ? { spec: supplied as Spec } : { error: broken };
}

function supplyValues(fields: JsonObject, rules: PolicyRules): JsonObject {
  const withDefaults = fields['apply_policy_default_values'] === true;
  let supplied = fields;
  for (const [path, rule] of Object.entries(rules)) {
    const names = splitAttributePath(path);
    const isDefault = rule.type !== 'fixed';
    const value = suppliedValue(rule);
    const applies = !isDefault || withDefaults || suppliedFields.some((field) => field === path);
    if (value === undefined || !applies || hasWildcard(path) || isVirtual(path)) continue;
    if (valuesAt(supplied, names).length === 0) supplied = withValueAt(supplied, names, value);
  }
  return supplied;
}

function isVirtual(path: string): boolean {
  return Object.hasOwn(virtualAttributes('JOB'), path);
}

function findBrokenRule(fields: JsonObject, rules: PolicyRules): string | undefined {
  for (const [path, rule] of Object.entries(rules)) {
    const values = valuesAt(fields, splitAttributePath(path));
    const required = !hasWildcard(path) && isRequired(rule);
    if (required && values.length === 0)
      return `Cluster validation error: Validation failed for ${path}, the value must be present`;
    const wrong = values.find((value) => !isAllowed(rule, value));
    if (wrong !== undefined)
      return `Cluster validation error: Validation failed for ${path}, the value must ${describeRule(rule)} (is ${quote(wrong)})`;
  }
  return undefined;
}

function isRequired(rule: PolicyRule): boolean {
  switch (rule.type) {
    case 'fixed':
      return true;
    case 'forbidden':
      return false;
    default:
      return rule.isOptional !== true;
  }
}

function isAllowed(rule: PolicyRule, value: unknown): boolean {
  // Maps hold text, and definitions may write numbers and booleans of them as such.
  const same = (other: PolicyValue): boolean => String(other) === String(value);
  switch (rule.type) {
    case 'fixed':
      return same(rule.value);
    case 'forbidden':
      return false;
    case 'unlimited':
      return true;
    case 'allowlist':
      return rule.values.some(same);
    case 'blocklist':
      return !rule.values.some(same);
    case 'regex':
      return new RegExp(`^(?:${rule.pattern})$`, 'u').test(String(value));
    case 'range': {
      const { minValue: minimum = -Infinity, maxValue: maximum = Infinity } = rule;
      const number = Number(value);
      return number >= minimum && number <= maximum;
    }
    default:
      return rule satisfies never;
  }
}

function describeRule(rule: PolicyRule): string {
  switch (rule.type) {
    case 'fixed':
      return `be ${quote(rule.value)}`;
    case 'forbidden':
      return 'not be present';
    case 'unlimited':
      return 'be present';
    case 'allowlist':
      return `be one of ${rule.values.map(quote).join(', ')}`;
    case 'blocklist':
      return `not be one of ${rule.values.map(quote).join(', ')}`;
    case 'regex':
      return `match ${quote(rule.pattern)}`;
    case 'range':
      return [
        ...(rule.minValue === undefined ? [] : [`be at least ${rule.minValue}`]),
        ...(rule.maxValue === undefined ? [] : [`be at most ${rule.maxValue}`]),
      ].join(' and ');
    default:
      return rule satisfies never;
  }
}

/** Names of versions in rules on spark_version that stand for the newest known version. */
const newestVersionNames: ReadonlySet<unknown> = new Set(['auto:latest', 'auto:latest-lts']);

/** Returns rules on spark_version with the newest known version in place of its names. */
function resolveVersions(rules: PolicyRules, sparkVersions: Inventory['sparkVersions']): PolicyRules {
  const { spark_version: rule } = rules;
  const [newest] = Object.keys(sparkVersions).toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  if (rule === undefined || newest === undefined) return rules;
  const resolve = <Entry>(value: Entry): Entry | string => (newestVersionNames.has(value) ? newest : value);
  const resolved = JSON.parse(JSON.stringify(rule), (_key, value: unknown) => resolve(value)) as PolicyRule;
  return { ...rules, spark_version: resolved };
}
