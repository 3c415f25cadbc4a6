/** Engine of the updates of a pipeline: Spark on a cluster of the update's own, or DuckDB without a cluster. */
import { resolveCompute, defaultPySpark } from './cluster/compute.ts';
import { resolveShape, unknownNameError, type Inventory } from './cluster/inventory.ts';
import { invalid } from './errors.ts';
import { checkCluster } from './job/check-cluster.ts';
import type { Library, NewCluster } from './job/cluster.ts';
import type { Limits } from './limits.ts';
import type { PipelineSpec } from './pipeline/pipeline-spec.ts';
import { quote } from './validation/messages.ts';

/** Key of `configuration` that chooses the engine. */
const engineProperty = 'runyard.pipeline.engine';
const engines = ['spark', 'duckdb'] as const;

/** Cluster and libraries of an update that Spark runs. */
export interface UpdateCompute {
  readonly cluster: NewCluster;
  readonly libraries: readonly Library[];
}

/** Facts of an update that decide about its engine. */
export interface UpdateFacts {
  readonly spec: PipelineSpec;
  /** Paths of its definitions. */
  readonly sources: readonly string[];
  /** Directory of its tables on this host. */
  readonly storage: string;
}

/**
 * Returns the cluster of an update; undefined when DuckDB runs it. Spark runs an update whose configuration
 * says so, whose definitions are in Python, or whose cluster computes on Spark.
 * @throws ServiceError when the pipeline needs Spark and its cluster has none, and for an invalid cluster
 */
export function resolveUpdateCompute(
  { spec, sources, storage }: UpdateFacts,
  inventory: Inventory,
  limits: Limits,
): UpdateCompute | undefined {
  const cluster = completeCluster(spec, limits);
  const wanted = wantedEngine(spec);
  const python = sources.find((path) => /\.py$/i.test(path));
  const reason =
    wanted === 'spark'
      ? `its configuration has ${engineProperty}: spark`
      : python && `${python} is a definition in Python`;
  if (wanted === 'duckdb') return undefined;
  const unknown = unknownNameError(cluster, inventory);
  if (unknown !== undefined) throw invalid(`clusters[0].${unknown}`);
  const shape = resolveShape(cluster, inventory);
  const compute = resolveCompute(cluster, 'error' in shape ? '' : shape.nodeTypeId, inventory);
  if (compute.provider === 'spark')
    return {
      cluster: { ...cluster, spark_conf: { ...storageProperties(spec, storage), ...cluster.spark_conf } },
      libraries: spec.packages ?? [],
    };
  if (reason !== undefined)
    throw invalid(
      `Pipeline ${spec.name} needs Spark, because ${reason}, but its cluster has none. Set clusters.spark_master in the ` +
        'configuration of the service, or name a policy or node type with a Spark master in clusters of the pipeline.',
    );
  return undefined;
}

function wantedEngine({ configuration }: PipelineSpec): (typeof engines)[number] | undefined {
  const given = configuration[engineProperty];
  const wanted = engines.find((engine) => engine === given);
  if (given !== undefined && wanted === undefined)
    throw invalid(
      `configuration.${engineProperty} is ${quote(given)}; it must be one of ${engines.join(', ')}.`,
    );
  return wanted;
}

/** Returns the cluster of the pipeline with defaults for what it leaves out. */
function completeCluster({ clusters = [] }: PipelineSpec, limits: Limits): NewCluster {
  const { label: _label, ...given } = clusters[0] ?? {};
  const size = given.autoscale === undefined && given.num_workers === undefined ? { num_workers: 0 } : {};
  const cluster = { spark_version: defaultPySpark, ...size, ...given };
  // A pipeline does not need to know the node types of the service.
  checkCluster('clusters[0]', { node_type_id: 'default', ...cluster }, limits);
  return cluster;
}

/**
 * Returns the properties that keep the tables of a pipeline in its storage: a catalog that outlives the driver,
 * and one directory per table in `current`. Properties of the configuration follow.
 */
function storageProperties({ configuration }: PipelineSpec, storage: string): Record<string, string> {
  if (storage.includes(';'))
    throw invalid('The storage of a pipeline on Spark must not contain a semicolon.');
  return {
    'spark.sql.catalogImplementation': 'hive',
    'spark.sql.warehouse.dir': `file://${storage}/current`,
    'spark.hadoop.javax.jdo.option.ConnectionURL': `jdbc:derby:;databaseName=${storage}/metastore;create=true`,
    'spark.hadoop.datanucleus.schema.autoCreateAll': 'true',
    'spark.hadoop.hive.metastore.schema.verification': 'false',
    ...Object.fromEntries(Object.entries(configuration).filter(([name]) => name.startsWith('spark.'))),
  };
}
