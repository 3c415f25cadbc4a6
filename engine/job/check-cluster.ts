/** What a new cluster must meet beyond its schema (spec 2.8). */
import { invalid } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { canonicalUri, pick, spellingIn, spellings } from './aliases.ts';
import { checkAsciiMap } from './ascii.ts';
import type { InitScriptInfo, NewCluster } from './cluster.ts';
import { at, checkFilled, checkOneOf, isGiven, missing, quote } from './wording.ts';

/**
 * Refuses a cluster without size, runtime or node type, an empty range, and parts that contradict themselves.
 * @throws ServiceError INVALID_PARAMETER_VALUE that names field, value and rule
 */
export function checkCluster(path: string, cluster: NewCluster, limits: Limits): void {
  checkComplete(path, cluster);
  checkSize(path, cluster);
  checkBootDisk(path, cluster, limits);
  checkLogConf(path, cluster);
  checkAsciiMap(at(path, 'spark_env_vars'), cluster.spark_env_vars);
  for (const [index, script] of (cluster.init_scripts ?? []).entries()) checkInitScript(at(path, `init_scripts[${index}]`), script);
}

function checkComplete(path: string, cluster: NewCluster): void {
  const nodeType = [cluster.node_type_id, cluster.instance_pool_id, cluster.policy_id].some(isGiven);
  if (cluster.num_workers === undefined && cluster.autoscale === undefined) throw incomplete(path, 'size');
  if (!isGiven(cluster.spark_version)) throw incomplete(path, 'spark_version');
  if (!nodeType) throw incomplete(path, 'node_type_id');
}

/** Clients know the text up to the field; which cluster is meant follows it where there may be several. */
function incomplete(path: string, field: string): Error {
  const which = path === 'new_cluster' || path === '' ? '' : ` (${path})`;
  return invalid(`Cluster validation error: Missing required field: settings.cluster_spec.new_cluster.${field}${which}`);
}

/** Refuses a number of workers beside a range, and an empty range. */
export function checkSize(path: string, { num_workers: workers, autoscale: range }: Pick<NewCluster, 'num_workers' | 'autoscale'>): void {
  if (range === undefined) return;
  if (workers !== undefined) throw invalid(`${path === '' ? 'The cluster' : path} has num_workers and autoscale; exactly one of num_workers, autoscale is allowed.`);
  if (range.max_workers <= range.min_workers) {
    throw invalid(`${at(path, 'autoscale.max_workers')} is ${range.max_workers}; it must be greater than min_workers, which is ${range.min_workers}.`);
  }
}

function checkBootDisk(path: string, cluster: NewCluster, limits: Limits): void {
  const size = pick(cluster, 'cloud_attributes')?.boot_disk_size;
  const { bootDiskGigabytesMin: least, bootDiskGigabytesMax: most } = limits;
  if (size === undefined || (size >= least && size <= most)) return;
  const field = at(path, `${spellingIn(cluster, 'cloud_attributes')}.boot_disk_size`);
  throw invalid(`${field} is ${size}; it must be between ${least} and ${most}.`);
}

function checkLogConf(path: string, { cluster_log_conf: conf }: NewCluster): void {
  if (conf === undefined) return;
  const store = pick(conf, 'managed_fs');
  if (store === undefined) throw missing(at(path, 'cluster_log_conf.managed_fs'));
  const field = at(path, `cluster_log_conf.${spellingIn(conf, 'managed_fs')}.destination`);
  checkFilled(field, store.destination);
  if (!/^(managed_fs:)?\//.test(canonicalUri(store.destination))) throw invalid(`${field} is ${quote(store.destination)}; it must be a path of managed_fs, such as managed_fs:/logs.`);
}

function checkInitScript(path: string, script: InitScriptInfo): void {
  const stores = ['workspace', ...spellings('managed_fs'), ...spellings('objstore')].filter((store) => Object.hasOwn(script, store));
  checkOneOf(path, stores, ['workspace', 'managed_fs', 'objstore']);
  const place = script.workspace ?? pick(script, 'managed_fs') ?? pick(script, 'objstore');
  if (place !== undefined) checkFilled(at(path, `${stores[0]}.destination`), place.destination);
}
