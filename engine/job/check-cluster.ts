/** Validation of a new cluster beyond its schema (spec 2.8). */
import { invalid } from '../errors.ts';
import type { Limits } from '../limits.ts';
import {
  canonicalUri,
  readAliased,
  spellingIn,
  spellingsOf,
  type AliasedKey,
} from '../validation/aliases.ts';
import { checkAsciiMap } from '../validation/ascii.ts';
import { checkSparkSwitches } from './spark-switches.ts';
import { isRecord } from '../validation/json-object.ts';
import type { InitScriptInfo, NewCluster } from './cluster.ts';
import {
  cloudAttributesFields,
  initScriptRule,
  logDestinationRule,
  newClusterFields,
  placementAttributesFields,
} from './fields/cluster-fields.ts';
import { checkSupported, type FieldTable } from './fields/field-support.ts';
import {
  fieldPath,
  checkNotBlank,
  checkExactlyOne,
  isNonEmpty,
  missingField,
  quote,
} from '../validation/messages.ts';

/**
 * Refuses a cluster without size, runtime or node type, an empty range, contradictory fields, and fields that
 * are not supported.
 * @throws ServiceError INVALID_PARAMETER_VALUE that names field, value and rule
 */
export function checkCluster(path: string, cluster: NewCluster, limits: Limits): void {
  checkComplete(path, cluster);
  checkSize(path, cluster);
  checkSupported(path, cluster, newClusterFields);
  checkAttributes(path, cluster, 'cloud_attributes', cloudAttributesFields);
  checkAttributes(path, cluster, 'placement_attributes', placementAttributesFields);
  checkBootDisk(path, cluster, limits);
  checkLogConf(path, cluster);
  checkAsciiMap(fieldPath(path, 'spark_env_vars'), cluster.spark_env_vars);
  checkVariableNames(fieldPath(path, 'spark_env_vars'), cluster.spark_env_vars);
  checkSparkSwitches(fieldPath(path, 'spark_conf'), cluster.spark_conf);
  for (const [index, script] of (cluster.init_scripts ?? []).entries())
    checkInitScript(fieldPath(path, `init_scripts[${index}]`), script);
}

function checkComplete(path: string, cluster: NewCluster): void {
  const nodeType = [cluster.node_type_id, cluster.instance_pool_id, cluster.policy_id].some(isNonEmpty);
  const { num_workers: workers, autoscale, is_single_node: isSingleNode } = cluster;
  if (workers === undefined && autoscale === undefined && isSingleNode !== true)
    throw missingClusterField(path, 'size');
  if (!isNonEmpty(cluster.spark_version)) throw missingClusterField(path, 'spark_version');
  if (!nodeType) throw missingClusterField(path, 'node_type_id');
}

/** Creates the error of a missing field. Clients match the text up to the field; the path follows it. */
function missingClusterField(path: string, field: string): Error {
  const suffix = path === 'new_cluster' || path === '' ? '' : ` (${path})`;
  return invalid(
    `Cluster validation error: Missing required field: settings.cluster_spec.new_cluster.${field}${suffix}`,
  );
}

/** Checks the attributes of a cluster under every spelling of their field. */
function checkAttributes(path: string, cluster: NewCluster, key: AliasedKey, table: FieldTable): void {
  const given = new Map(Object.entries(cluster));
  for (const spelling of spellingsOf(key)) {
    const attributes = given.get(spelling);
    if (isRecord(attributes)) checkSupported(fieldPath(path, spelling), attributes, table);
  }
}

/** Refuses a number of workers together with a range, an empty range, and workers of a single node. */
export function checkSize(
  path: string,
  {
    num_workers: workers,
    autoscale: range,
    is_single_node: isSingleNode,
  }: Pick<NewCluster, 'num_workers' | 'autoscale' | 'is_single_node'>,
): void {
  if (isSingleNode === true && (range !== undefined || (workers ?? 0) > 0)) {
    const field = range === undefined ? `num_workers is ${workers}` : 'autoscale is given';
    throw invalid(
      `${fieldPath(path, 'is_single_node')} is true, but ${field}; a single node has no workers.`,
    );
  }
  if (range === undefined) return;
  if (workers !== undefined)
    throw invalid(
      `${path === '' ? 'The cluster' : path} has num_workers and autoscale; exactly one of num_workers, autoscale is allowed.`,
    );
  if (range.max_workers <= range.min_workers) {
    throw invalid(
      `${fieldPath(path, 'autoscale.max_workers')} is ${range.max_workers}; it must be greater than min_workers, which is ${range.min_workers}.`,
    );
  }
}

function checkBootDisk(path: string, cluster: NewCluster, limits: Limits): void {
  const size = readAliased(cluster, 'cloud_attributes')?.boot_disk_size;
  const { bootDiskGigabytesMin: minimum, bootDiskGigabytesMax: maximum } = limits;
  if (size === undefined || (size >= minimum && size <= maximum)) return;
  const field = fieldPath(path, `${spellingIn(cluster, 'cloud_attributes')}.boot_disk_size`);
  throw invalid(`${field} is ${size}; it must be between ${minimum} and ${maximum}.`);
}

/** Refuses variable names that the operating system would silently drop. */
function checkVariableNames(path: string, variables: Readonly<Record<string, string>> = {}): void {
  const invalidName = Object.keys(variables).find((name) => name === '' || name.includes('='));
  if (invalidName !== undefined)
    throw invalid(
      `${path} has the name ${quote(invalidName)}; a variable name must not be empty or contain "=".`,
    );
}

function checkLogConf(path: string, { cluster_log_conf: conf }: NewCluster): void {
  if (conf === undefined) return;
  const given = storesIn(conf);
  if (given.length > 1)
    throw invalid(
      `${fieldPath(path, 'cluster_log_conf')} has ${given.join(' and ')}; only one destination is allowed.`,
    );
  checkStores(fieldPath(path, 'cluster_log_conf'), given, spellingsOf('managed_fs'), logDestinationRule);
  const store = readAliased(conf, 'managed_fs');
  if (store === undefined) throw missingField(fieldPath(path, 'cluster_log_conf.managed_fs'));
  checkDestination(
    fieldPath(path, `cluster_log_conf.${spellingIn(conf, 'managed_fs')}.destination`),
    store.destination,
    'managed_fs',
    'logs',
  );
}

/** Returns the stores that a location names: its fields with an object. */
function storesIn(location: object): string[] {
  return Object.entries(location).flatMap(([field, value]) => (isRecord(value) ? [field] : []));
}

function checkStores(path: string, given: readonly string[], known: readonly string[], rule: string): void {
  const unknown = given.find((store) => !known.includes(store));
  if (unknown !== undefined) throw invalid(`${fieldPath(path, unknown)} is not supported; ${rule}.`);
}

function checkInitScript(path: string, script: InitScriptInfo): void {
  const known = ['workspace', ...spellingsOf('managed_fs'), ...spellingsOf('objstore')];
  const given = storesIn(script);
  checkStores(path, given, known, initScriptRule);
  checkExactlyOne(path, given, ['workspace', 'managed_fs', 'objstore']);
  const kind =
    script.workspace !== undefined
      ? 'workspace'
      : readAliased(script, 'managed_fs') !== undefined
        ? 'managed_fs'
        : 'objstore';
  const storage = script.workspace ?? readAliased(script, 'managed_fs') ?? readAliased(script, 'objstore');
  if (storage !== undefined)
    checkDestination(fieldPath(path, `${given[0]}.destination`), storage.destination, kind, 'setup.sh');
}

/** Syntax of the destinations of each store, with an example for messages. */
const stores = {
  workspace: { pattern: /^\//, name: 'an absolute path of the workspace', example: '/Shared/' },
  managed_fs: { pattern: /^(managed_fs:)?\//, name: 'a path of managed_fs', example: 'managed_fs:/' },
  objstore: {
    pattern: /^objstore:\/\/[^/]/,
    name: 'a URI of the object store',
    example: 'objstore://bucket/',
  },
} as const;

/** Refuses a destination that is blank, in another store, or outside its store. */
function checkDestination(
  field: string,
  destination: string,
  store: keyof typeof stores,
  file: string,
): void {
  checkNotBlank(field, destination);
  const { pattern, name, example } = stores[store];
  const uri = store === 'workspace' ? destination : canonicalUri(destination);
  if (!pattern.test(uri))
    throw invalid(`${field} is ${quote(destination)}; it must be ${name}, such as ${example}${file}.`);
  if (uri.split('/').includes('..'))
    throw invalid(`${field} is ${quote(destination)}; it must not contain "..".`);
}
