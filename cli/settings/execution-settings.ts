/** Settings of task execution: plugins, isolation, clusters, leases and the runner pool. */
import { defaultInventory } from '../../engine/cluster/inventory.ts';
import type { ClusterFault } from '../../engine/cluster/fault-injection.ts';
import { mountPoints } from '../../engine/validation/aliases.ts';
import type { TaskLimits } from '../../runners/process/isolation.ts';
import type { PluginSource } from '../../runners/plugin/plugin-source.ts';
import { parseFaults, parseInventory } from './cluster-parsers.ts';
import {
  integerBetween,
  oneOfValues,
  parseBoolean,
  parseEnvironmentVariables,
  parseModuleNames,
  parsePath,
  parsePluginSources,
  parseTaskLimits,
  parseUserName,
} from './parsers.ts';
import { defineSetting } from './setting.ts';

export const taskSandboxes = ['none', 'mounts', 'bubblewrap'] as const;
const dayMs = 24 * 60 * 60 * 1_000;

export const executionSettings = {
  plugins: defineSetting<readonly PluginSource[]>({
    variable: 'RUNYARD_PLUGINS',
    parse: parsePluginSources,
    defaultValue: [],
    defaultDescription: 'none',
    description: 'Comma-separated plugins with task kinds: paths of modules or names of packages.',
  }),
  taskLimits: defineSetting<TaskLimits>({
    variable: 'RUNYARD_TASK_LIMITS',
    parse: parseTaskLimits,
    defaultValue: {},
    defaultDescription: 'limits of the node type',
    description:
      'JSON object with resource limits of each task process: memoryMb, cpuSeconds, openFiles, processes.',
  }),
  taskUser: defineSetting<string | undefined>({
    variable: 'RUNYARD_TASK_USER',
    parse: parseUserName,
    defaultValue: undefined,
    defaultDescription: 'user of the service',
    description: 'System user that tasks run as; requires a service that runs as root.',
  }),
  taskSandbox: defineSetting<(typeof taskSandboxes)[number]>({
    variable: 'RUNYARD_TASK_SANDBOX',
    parse: oneOfValues(taskSandboxes),
    defaultValue: 'none',
    description: `Sandbox of tasks: none; mounts, in which tasks find managed_fs at ${mountPoints.map(({ path }) => path).join(' and ')}; or bubblewrap, which also makes the system read-only and hides the files of the service except those of the task.`,
  }),
  clusterStartMs: defineSetting({
    variable: 'RUNYARD_CLUSTER_START_MS',
    parse: integerBetween(0, dayMs),
    defaultValue: 0,
    description: 'Start-up time of a simulated cluster, in milliseconds.',
  }),
  clusters: defineSetting({
    variable: 'RUNYARD_CLUSTERS',
    parse: parseInventory,
    defaultValue: defaultInventory,
    defaultDescription: 'unlimited nodes',
    description: 'JSON object with the inventory of clusters: nodes, pools, policies, node types, runtimes.',
  }),
  clustersStrict: defineSetting({
    variable: 'RUNYARD_CLUSTERS_STRICT',
    parse: parseBoolean,
    defaultValue: false,
    description: 'Rejects an existing_cluster_id that names no cluster or a terminated one.',
  }),
  faults: defineSetting<readonly ClusterFault[]>({
    variable: 'RUNYARD_FAULTS',
    parse: parseFaults,
    defaultValue: [],
    defaultDescription: 'none',
    description: 'JSON list of faults to inject into clusters, for tests; logged at every start.',
  }),
  stopGraceMs: defineSetting({
    variable: 'RUNYARD_STOP_GRACE_MS',
    parse: integerBetween(0, dayMs),
    defaultValue: 10_000,
    description: 'Grace period of a stopped task before it is killed, in milliseconds.',
  }),
  leaseMs: defineSetting({
    variable: 'RUNYARD_LEASE_MS',
    parse: integerBetween(100, dayMs),
    defaultValue: 15_000,
    description:
      'Lease of an engine, in milliseconds; other engines take over its runs when the lease expires.',
  }),
  poolThreads: defineSetting({
    variable: 'RUNYARD_POOL_THREADS',
    parse: integerBetween(1, 64),
    defaultValue: 2,
    description: 'Number of threads that run task attempts.',
  }),
  attemptsPerThread: defineSetting({
    variable: 'RUNYARD_ATTEMPTS_PER_THREAD',
    parse: integerBetween(1, 10_000),
    defaultValue: 500,
    description: 'Maximum concurrent task attempts per thread.',
  }),
  warmImports: defineSetting<readonly string[]>({
    variable: 'RUNYARD_WARM_IMPORTS',
    parse: parseModuleNames,
    defaultValue: [],
    defaultDescription: 'none',
    description:
      'Comma-separated Python modules that clusters with the runtime "warm" import before their tasks, such as numpy,pandas.',
  }),
  sparkCacheDirectory: defineSetting<string | undefined>({
    variable: 'RUNYARD_SPARK_CACHE_DIR',
    parse: parsePath,
    defaultValue: undefined,
    defaultDescription: 'in the data directory',
    description: 'Directory of installed PySpark versions; several services can share it.',
  }),
  libraryEnvironment: defineSetting<Readonly<Record<string, string>>>({
    variable: 'RUNYARD_LIBRARY_ENV',
    parse: parseEnvironmentVariables,
    defaultValue: {},
    defaultDescription: 'none',
    description:
      'JSON object of environment variables for library installers, such as {"PIP_INDEX_URL": "https://..."}.',
  }),
};
