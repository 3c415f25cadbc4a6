/** Wires the HTTP API to the engine, the stores and the console. */
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createSparkPageTickets } from '../../api/http/spark-page-tickets.ts';
import { createApp } from '../../api/http/app.ts';
import { createAllOperations } from '../../api/http/operations.ts';
import { cacheTokenLookups } from '../../api/http/token-cache.ts';
import type { Clock } from '../../engine/clock.ts';
import { builtInKinds, type PluginKind } from '../../engine/job/task-kinds.ts';
import type { QueryRunner } from '../../engine/ports/dashboards.ts';
import type { WorkspaceInfo } from '../../engine/run/workspace-info.ts';
import { createSparkApplications } from '../../runners/spark/spark-applications.ts';
import { createLogFiles } from '../../storage/files/log-files.ts';
import { createManagedFileStore } from '../../storage/files/managed-files.ts';
import { createNotebookFiles } from '../../storage/files/notebook-files.ts';
import { createPipelineFiles } from '../../storage/files/pipeline-files.ts';
import { createQueryFiles } from '../../storage/files/query-files.ts';
import type { Roots } from '../../storage/files/roots.ts';
import type { Uploads } from '../../storage/files/uploads.ts';
import { createWorkspaceStore } from '../../storage/files/workspace.ts';
import {
  createClassicDashboardStore,
  createDashboardStore,
} from '../../storage/postgres/dashboards/dashboards.ts';
import type { OpenDatabase } from '../../storage/postgres/database.ts';
import { createDeliveryLog } from '../../storage/postgres/deliveries/delivery-log.ts';
import { createDestinationStore } from '../../storage/postgres/deliveries/destinations.ts';
import { createPermissionStore } from '../../storage/postgres/jobs/job-permissions.ts';
import { createPipelineStore } from '../../storage/postgres/pipelines/pipelines.ts';
import { createClusterPermissionStore } from '../../storage/postgres/clusters/cluster-permissions.ts';
import { createJobStore, createRunReader, createRunRemover } from '../../storage/postgres/stores.ts';
import { createTokenLookup } from '../../storage/postgres/tokens/token-lookup.ts';
import { createTokenStore } from '../../storage/postgres/tokens/tokens.ts';
import { isTransientError } from '../../storage/postgres/transient-errors.ts';
import { isOutcomeUnknown, trackChanges } from '../../storage/postgres/uncertain-changes.ts';
import type { Config } from '../config.ts';
import type { Engine } from './engine-node.ts';
import { checkReadiness, createGatedLaunches, type LaunchGate } from './launch-gate.ts';
import type { People } from './people.ts';
import type { TlsFiles } from './tls.ts';

type OperationPorts = Parameters<typeof createAllOperations>[0];

export interface ApiServerDependencies {
  readonly config: Config;
  readonly database: OpenDatabase;
  readonly engine: Engine;
  readonly roots: Roots;
  readonly workspaceInfo: WorkspaceInfo;
  readonly clock: Clock;
  readonly log: Logger;
  readonly launchGate: LaunchGate;
  readonly people: People;
  readonly queries: QueryRunner;
  readonly uploads: Uploads;
  readonly tls: TlsFiles | undefined;
  readonly plugins: readonly PluginKind[];
}

export function createApiServer(dependencies: ApiServerDependencies): FastifyInstance {
  const { config, database, engine, roots, clock, log, launchGate, people, tls, plugins, workspaceInfo } =
    dependencies;
  const { db } = database;
  const sparkPageTickets = createSparkPageTickets(clock);
  const sparkApplications = createSparkApplications({
    clusters: roots.clusters.directory,
    runs: roots.runs.directory,
  });
  return createApp({
    operations: createAllOperations({
      ...createRunPorts(dependencies),
      sparkApplications,
      sparkPageTickets,
      ...createDataPorts(dependencies),
      clock,
      limits: config.limits,
    }),
    auth: { tokens: cacheTokenLookups(createTokenLookup(db), clock), clock, log },
    plugins,
    audit: people.audit,
    tls,
    trustedProxies: config.trustedProxies,
    permissions: config.jobAccessControl ? createPermissionStore(db) : undefined,
    metrics: {
      databaseQueries: database.queryCount,
      activeRuns: engine.coordinator.countDrivenRuns,
      failures: engine.runEndListeners.countFailures,
    },
    metricsOpen: config.metricsOpen,
    workspace: workspaceInfo,
    sparkPages: {
      applications: sparkApplications,
      tickets: sparkPageTickets,
      publicUrl: workspaceInfo.publicUrl,
    },
    consoleDirectory: fileURLToPath(new URL('../../console/built', import.meta.url)),
    checkReadiness: () => checkReadiness(database, launchGate, engine),
    isTransientError,
    changes: { track: trackChanges, isOutcomeUnknown },
    limits: config.limits,
    log,
  });
}

/** Ports of the operations that read or drive jobs, runs and clusters. */
function createRunPorts(dependencies: ApiServerDependencies) {
  const { config, engine, roots, workspaceInfo, plugins } = dependencies;
  const { db } = dependencies.database;
  const { runs, nodes, clusters, coordinator, queue, files, libraries } = engine;
  const permissions = createPermissionStore(db);
  const clusterPermissions = createClusterPermissionStore(db);
  return {
    jobs: createJobStore(db),
    permissions,
    owners: config.jobAccessControl ? permissions.listOwners : undefined,
    runs: createRunReader(db),
    outputs: files,
    logs: createLogFiles(roots),
    notebooks: createNotebookFiles(roots),
    kinds: [...builtInKinds, ...plugins],
    clusters: clusters.reader,
    control: clusters.control,
    clusterPermissions,
    inventory: clusters.compute.inventory,
    inventoryControl: clusters.inventoryControl,
    clusterRules: {
      inventory: clusters.compute.inventory,
      requireExisting: config.clustersStrict,
      find: clusters.reader.find,
      access: { permissions, clusterPermissions },
    },
    launching: createLaunchPorts(dependencies),
    nodes,
    cancelling: {
      runs,
      stopRun(runId, reason) {
        coordinator.stop(runId, reason);
        // The queue ends a run that waits in it: the coordinator does not know that run.
        queue.wake();
      },
    },
    removing: { runs: createRunRemover(db), files },
    onJobChanged(updates) {
      for (const { runId, settings } of updates) coordinator.updateTimeouts(runId, settings);
      // The maximum of concurrent runs may have been raised.
      queue.wake();
    },
    workspaceInfo,
    ...libraries,
  } satisfies Partial<OperationPorts>;
}

/** Ports of the launches of runs. */
function createLaunchPorts({ config, database, engine, clock, log, launchGate }: ApiServerDependencies) {
  const { limits } = config;
  const { runs, coordinator, nodeId } = engine;
  const maxTaskRuns = limits.concurrentTaskRuns;
  return {
    ...createGatedLaunches(database.db, runs, { clock, log, nodeId, maxTaskRuns, launchGate }),
    clock,
    limits,
    nodeId,
    findFullDisk: engine.findFullDisk,
    waitForTurn: engine.pacing.waitForTurn,
    acceptRun: coordinator.accept,
    onSkipped: engine.runEndListeners.notify,
  };
}

/** Ports of the operations on stored data: tokens, people, files, dashboards, deliveries and pipelines. */
function createDataPorts({
  config,
  database: { db },
  roots,
  people: { people, tokenRules, auditEvents },
  queries,
  uploads,
}: ApiServerDependencies) {
  const { limits } = config;
  return {
    tokens: createTokenStore(db),
    people,
    tokenRules,
    auditEvents,
    workspace: createWorkspaceStore(roots, limits),
    managedFiles: createManagedFileStore(roots),
    uploads,
    destinations: createDestinationStore(db),
    deliveries: createDeliveryLog(db),
    destinationRules: { limits, allowPrivate: config.webhookAllowPrivate },
    classicDashboards: createClassicDashboardStore(db),
    dashboards: createDashboardStore(db),
    queryFiles: createQueryFiles(roots),
    queries,
    pipelines: createPipelineStore(db),
    pipelineFiles: createPipelineFiles(roots, limits.pipelineSourceBytes),
  } satisfies Partial<OperationPorts>;
}
