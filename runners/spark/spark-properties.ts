/** Properties of the Spark of a cluster: its master, size and libraries, then `spark_conf`. */
import type { ClusterCompute } from '../../engine/cluster/compute.ts';
import type { PythonArchives } from './python-archives.ts';
import { protectedPages } from './pages-access.ts';
import { isLocalMaster } from './spark-environment.ts';
import type { NodeType } from '../../engine/cluster/node-types.ts';

type SparkCompute = Extract<ClusterCompute, { provider: 'spark' }>;

/** Facts of a cluster that its properties are derived from. */
export interface ClusterProperties {
  readonly name: string;
  readonly compute: SparkCompute;
  readonly nodeType: NodeType | undefined;
  readonly workers: number | undefined;
  /** JARs of the libraries. */
  readonly classPath: readonly string[];
  /** Import directories of Python workers. */
  readonly pythonPath: readonly string[];
  /** Libraries for workers on other machines, which see no directory of this one. */
  readonly packed?: PythonArchives | undefined;
  /** Interpreter of Python workers. */
  readonly python: string;
  /** Directory of `managed_fs:/`, which holds the tables of the cluster. */
  readonly managedFs: string;
  /** Secret of Spark's own pages; undefined for a Spark that cannot require one. */
  readonly pagesSecret: string | undefined;
}

/** Returns the properties by name; later sources override earlier ones. */
export function clusterProperties(cluster: ClusterProperties): ReadonlyMap<string, string> {
  const { compute, name, python, pythonPath, classPath } = cluster;
  return new Map(
    Object.entries({
      'spark.app.name': name,
      'spark.master': compute.master,
      'spark.submit.deployMode': 'client',
      'spark.pyspark.python': python,
      ...pythonProperties(pythonPath, cluster.packed),
      ...(classPath.length > 0 && { 'spark.jars': classPath.map((jar) => `file://${jar}`).join(',') }),
      'spark.ui.port': '0',
      'spark.ui.killEnabled': 'false',
      ...pagesProperties(cluster),
      'spark.ui.showConsoleProgress': 'false',
      // One file of JSON lines per application, named by its id.
      'spark.eventLog.enabled': 'true',
      'spark.eventLog.rolling.enabled': 'false',
      'spark.eventLog.compress': 'false',
      // Progress is read from the log: ends of tasks must not wait in a buffer.
      'spark.eventLog.buffer.kb': '1',
      'spark.sql.warehouse.dir': `file://${cluster.managedFs}/user/hive/warehouse`,
      ...sizeProperties(cluster),
      ...compute.conf,
    }),
  );
}

/** Returns what makes Python libraries importable in workers. */
function pythonProperties(
  pythonPath: readonly string[],
  packed: PythonArchives | undefined,
): Record<string, string> {
  const path = packed?.pythonPath ?? pythonPath;
  return {
    ...(path.length > 0 && { 'spark.executorEnv.PYTHONPATH': path.join(':') }),
    ...(packed && packed.archives.length > 0 && { 'spark.archives': packed.archives.join(',') }),
    ...(packed && packed.files.length > 0 && { 'spark.submit.pyFiles': packed.files.join(',') }),
  };
}

/** Pages without protection are off for a remote master: they would be open to its network. */
function pagesProperties({ compute, pagesSecret }: ClusterProperties): Record<string, string> {
  if (pagesSecret !== undefined) return protectedPages(pagesSecret);
  return isLocalMaster(compute.master) ? {} : { 'spark.ui.enabled': 'false' };
}

const driverMemoryMb = { minimum: 512, maximum: 4_096, ofNode: 0.6 } as const;
/** Part of a node's memory that its executor gets; the rest is for the system and off-heap memory. */
const executorMemoryOfNode = 0.75;

/** Returns the size of the cluster as memory, cores and number of executors. */
function sizeProperties({ compute, nodeType, workers = 1 }: ClusterProperties): Record<string, string> {
  if (nodeType === undefined) return {};
  const { memory_mb: memory, num_cores: cores } = nodeType;
  const driver = Math.max(
    driverMemoryMb.minimum,
    Math.min(driverMemoryMb.maximum, Math.floor(memory * driverMemoryMb.ofNode)),
  );
  const driverSize = { 'spark.driver.memory': `${driver}m` };
  const { master, autoscale } = compute;
  if (master.startsWith('local')) return driverSize;
  const executorCores = Math.max(1, Math.floor(cores));
  const executorSize = {
    ...driverSize,
    'spark.executor.cores': String(executorCores),
    'spark.executor.memory': `${Math.max(driverMemoryMb.minimum, Math.floor(memory * executorMemoryOfNode))}m`,
  };
  // Spark computes nowhere without an executor.
  const executors = Math.max(1, autoscale?.max_workers ?? workers);
  const isStandalone = master.startsWith('spark:');
  return {
    ...executorSize,
    ...(isStandalone && { 'spark.cores.max': String(executorCores * executors) }),
    ...(autoscale === undefined
      ? !isStandalone && { 'spark.executor.instances': String(executors) }
      : {
          'spark.dynamicAllocation.enabled': 'true',
          'spark.dynamicAllocation.shuffleTracking.enabled': 'true',
          'spark.dynamicAllocation.minExecutors': String(Math.max(1, autoscale.min_workers)),
          'spark.dynamicAllocation.initialExecutors': String(Math.max(1, autoscale.min_workers)),
          'spark.dynamicAllocation.maxExecutors': String(executors),
        }),
  };
}

/** Properties that only the shared driver has: its Connect server listens on the loopback interface. */
export const driverProperties: ReadonlyMap<string, string> = new Map([
  ['spark.connect.grpc.binding.address', '127.0.0.1'],
  ['spark.connect.grpc.binding.port', '0'],
  // A query whose client is gone is interrupted.
  ['spark.connect.execute.manager.detachedTimeout', '30s'],
]);

/** Renders spark-defaults.conf. Line ends in values become spaces. */
export function renderSparkDefaults(properties: ReadonlyMap<string, string>): string {
  return [...properties].map(([name, value]) => `${name} ${value.replaceAll(/[\r\n]+/g, ' ')}\n`).join('');
}
