/** What the programs of a cluster compute on: this machine, or a Spark master (spec 2.8). */
import type { NewCluster } from '../job/cluster.ts';
import { ownPropertyPrefix, sparkSwitches } from '../job/spark-switches.ts';
import type { Inventory, SparkRuntime } from './inventory.ts';

export type SparkSession = (typeof sparkSwitches)['runyard.spark.session'][number];
export type SqlEngine = (typeof sparkSwitches)['runyard.sql'][number];

/** Value of `spark_master` for clusters without Spark. */
export const noSparkMaster = 'none';

/** Matches the masters of Spark: local, local[n], spark://, yarn and k8s://. */
export const sparkMasterPattern =
  /^(?:local(?:\[(?:\d+|\*)(?:,\d+)?\])?|spark:\/\/[^\s,/]+(?:,[^\s,/]+)*|yarn|k8s:\/\/\S+)$/;

/** PySpark of clusters whose `spark_version` has no configured runtime. */
export const defaultPySpark = '4.3.0';

export type ClusterCompute =
  | { readonly provider: 'local' }
  | {
      readonly provider: 'spark';
      readonly master: string;
      readonly runtime: SparkRuntime;
      readonly session: SparkSession;
      readonly sql: SqlEngine;
      /** Properties for Spark: those of the runtime, then `spark_conf`. */
      readonly conf: Readonly<Record<string, string>>;
      /** Range of workers of a cluster with autoscaling. */
      readonly autoscale: NewCluster['autoscale'];
    };

export type ComputeProviderName = ClusterCompute['provider'];

type ComputeFields = Pick<
  NewCluster,
  | 'instance_pool_id'
  | 'policy_id'
  | 'node_type_id'
  | 'driver_node_type_id'
  | 'spark_version'
  | 'spark_conf'
  | 'autoscale'
>;

/**
 * Returns what a cluster computes on. The master comes from its policy, else from its node type, else from the
 * configuration. A single-node cluster can set `spark.master` to local or local[n] in `spark_conf`; other values
 * are the concern of the operator and ignored.
 * @param nodeTypeId resolved type of the workers
 */
export function resolveCompute(
  spec: Partial<ComputeFields>,
  nodeTypeId: string,
  inventory: Inventory,
): ClusterCompute {
  const { policies, nodeTypes, sparkMaster } = inventory;
  const policy = spec.policy_id === undefined ? undefined : policies[spec.policy_id];
  const nodeType = Object.hasOwn(nodeTypes, nodeTypeId) ? nodeTypes[nodeTypeId] : undefined;
  const master = policy?.spark_master ?? nodeType?.spark_master ?? sparkMaster ?? noSparkMaster;
  if (master === noSparkMaster) return { provider: 'local' };
  const given = Object.entries(spec.spark_conf ?? {});
  const own = new Map(given.filter(([name]) => name.startsWith(ownPropertyPrefix)));
  const runtime = sparkRuntimeOf(spec.spark_version ?? '', inventory);
  const { 'spark.master': wanted, ...conf } = Object.fromEntries(
    given.filter(([name]) => !name.startsWith(ownPropertyPrefix)),
  );
  return {
    provider: 'spark',
    master: wanted !== undefined && /^local(?:\[|$)/.test(wanted) ? wanted : master,
    runtime,
    session: switchValue('runyard.spark.session', own) ?? 'auto',
    sql: switchValue('runyard.sql', own) ?? 'spark',
    conf: { ...runtime.conf, ...conf },
    autoscale: spec.autoscale,
  };
}

/** Returns the value of a switch; undefined when it is not set or has another value, which the API refuses. */
function switchValue<Name extends keyof typeof sparkSwitches>(
  name: Name,
  own: ReadonlyMap<string, string>,
): (typeof sparkSwitches)[Name][number] | undefined {
  const values: readonly (typeof sparkSwitches)[Name][number][] = sparkSwitches[name];
  return values.find((value) => value === own.get(name));
}

/**
 * Returns the runtime of a `spark_version`: the configured one, the PySpark of that version when the key is a
 * version of Spark itself (4.0.5), or the default. Runtimes of the vendor before 17 have ANSI mode off.
 */
export function sparkRuntimeOf(
  sparkVersion: string,
  { sparkRuntimes }: Pick<Inventory, 'sparkRuntimes'>,
): SparkRuntime {
  const configured = sparkRuntimes[sparkVersion] ?? sparkRuntimes['default'];
  const own = /^(\d+\.\d+\.\d+)$/.exec(sparkVersion)?.[1];
  const [, major] = /^(\d+)\.\d+\.x-/.exec(sparkVersion) ?? [];
  const conf = major !== undefined && Number(major) < 17 ? { 'spark.sql.ansi.enabled': 'false' } : undefined;
  return { pyspark: own ?? defaultPySpark, ...(conf && { conf }), ...configured };
}
