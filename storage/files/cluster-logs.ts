/**
 * Log delivery of clusters (spec 2.8) to `<destination>/<cluster id>/{driver,executor,init_scripts}/` in
 * managed_fs. As wherever logs are served, secrets of the runs are masked and a truncated part is replaced by
 * a line that says so.
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { Check } from 'typebox/value';
import { toIsoTime } from '../../engine/clock.ts';
import type { Cluster } from '../../engine/cluster/cluster.ts';
import type { ClusterEvent } from '../../engine/cluster/events.ts';
import { ServiceError } from '../../engine/errors.ts';
import { readAliased } from '../../engine/validation/aliases.ts';
import { ClusterLogConf } from '../../engine/job/cluster.ts';
import { logStreams } from '../../engine/log-file.ts';
import { undefinedIfMissing, statIfExists } from '../../engine/read-file.ts';
import { maskText, type Mask } from '../../engine/run/masking.ts';
import { lockUntilCommit } from '../postgres/advisory-locks.ts';
import { createClusterReader } from '../postgres/clusters/cluster-reader.ts';
import {
  appendLogs,
  readLogDeliveryState,
  writeLogDeliveryState,
  type DeliveredLog,
  type LogSource,
} from './append-logs.ts';
import { findCluster } from '../postgres/clusters/cluster-rows.ts';
import { writeBytes } from './file-tree.ts';
import { resolveInside, type Roots } from './roots.ts';
import { hasEnded, listSparkLogs } from './spark-logs.ts';
import { maskOfAttempt, maskOfCluster } from '../postgres/runs/run-mask.ts';
import type { Database } from '../postgres/schema.ts';

type LogRoots = Pick<Roots, 'managedFs' | 'clusters' | 'runs'>;

const eventsMax = 10_000;
const giveUpAfterMs = 60 * 60 * 1_000;

/** Records that the logs of an attempt are part of the logs of a cluster. */
export async function recordClusterAttempt(roots: LogRoots, clusterId: string, runId: number): Promise<void> {
  const directory = join(roots.clusters.directory, clusterId, 'attempts');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(join(directory, String(runId)), '');
}

/** Ids of the clusters that have logs to deliver. */
export async function listClustersWithPendingLogs(db: Kysely<Database>): Promise<string[]> {
  const rows = await db
    .selectFrom('clusters')
    .select('cluster_id')
    .where('logs_pending', '=', true)
    .execute();
  return rows.map((row) => row.cluster_id);
}

/**
 * Delivers the part of a cluster's logs that is new since the last delivery. Concurrent calls, on any engine,
 * run one after the other.
 * @throws ServiceError when the destination is not writable
 */
export async function deliverClusterLogs(
  db: Kysely<Database>,
  roots: LogRoots,
  clusterId: string,
  now: number,
): Promise<void> {
  try {
    await db.transaction().execute(async (transaction) => {
      await lockUntilCommit(transaction, 'logDelivery', clusterId);
      const cluster = await findCluster(transaction, clusterId);
      const conf = cluster?.spec['cluster_log_conf'];
      if (cluster === undefined || !Check(ClusterLogConf, conf)) return;
      const { events } = await createClusterReader(transaction).listEvents({
        clusterId,
        from: undefined,
        to: undefined,
        types: undefined,
        newestFirst: false,
        offset: 0,
        limit: eventsMax,
      });
      const progress = await deliverLogs(
        transaction,
        roots,
        cluster,
        readAliased(conf, 'managed_fs')?.destination ?? '',
        events,
      );
      // A process that vanished leaves no exit file, so the wait for the rest of its log is limited.
      if (progress === 'all' || (cluster.terminatedTime ?? now) < now - giveUpAfterMs)
        await markLogsDelivered(transaction, clusterId);
    });
  } catch (error) {
    // The destination of a terminated cluster does not change: a wrong one stays wrong.
    if (error instanceof ServiceError) await markLogsDelivered(db, clusterId);
    // A full disk and similar faults may pass: retry until the time limit.
    else await markLogsDelivered(db, clusterId, now - giveUpAfterMs);
    throw error;
  }
}

/** @param endedBefore a cluster that terminated later keeps its pending logs */
async function markLogsDelivered(
  db: Kysely<Database>,
  clusterId: string,
  endedBefore = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  await db
    .updateTable('clusters')
    .set({ logs_pending: false })
    .where('cluster_id', '=', clusterId)
    .where('state', '=', 'TERMINATED')
    .where('terminated_time', '<', endedBefore)
    .execute();
}

async function deliverLogs(
  db: Kysely<Database>,
  roots: LogRoots,
  cluster: Cluster,
  destination: string,
  events: readonly ClusterEvent[],
): Promise<'all' | 'more'> {
  const clusterDirectory = join(roots.clusters.directory, cluster.clusterId);
  const folder = `${destination.replace(/\/+$/, '')}/${cluster.clusterId}`;
  const mask = maskOfCluster(cluster);
  // Attempts that have ended before this read get their last delivery here.
  const attempts = await listAttempts(db, roots, clusterDirectory, mask);
  const files: DeliveredLog[] = [
    ...logStreams.map((stream) => ({
      target: `driver/${stream}`,
      sources: attempts.map((attempt) => sourceOf(attempt, stream)),
    })),
    ...(await listScriptLogs(clusterDirectory, mask, cluster.state === 'TERMINATED')),
    ...(await listSparkLogs(clusterDirectory, roots.runs.directory, mask)),
  ];
  for (const directory of [
    'driver',
    'executor',
    ...(files.some(({ target }) => target.startsWith('eventlog/')) ? ['eventlog'] : []),
    ...(cluster.spec['init_scripts'] === undefined ? [] : ['init_scripts']),
  ]) {
    await mkdir(await resolveInside(roots.managedFs, `${folder}/${directory}`), { recursive: true });
  }
  const state = await readLogDeliveryState(clusterDirectory);
  for (const file of files)
    await appendLogs(await resolveInside(roots.managedFs, `${folder}/${file.target}`), file, state);
  await writeBytes(
    roots.managedFs,
    `${folder}/driver/log4j-active.log`,
    Buffer.from(maskText(mask, renderEventLines(cluster, events))),
    true,
  );
  const ended = attempts.filter((attempt) => attempt.ended);
  for (const attempt of ended)
    for (const stream of logStreams) delete state.sources[sourceOf(attempt, stream).path];
  await writeLogDeliveryState(clusterDirectory, state);
  for (const { runId } of ended) await rm(join(clusterDirectory, 'attempts', String(runId)), { force: true });
  return ended.length === attempts.length ? 'all' : 'more';
}

interface LoggedAttempt {
  readonly runId: number;
  readonly directory: string;
  readonly ended: boolean;
  readonly mask: Mask;
}

/** @param defaultMask used for an attempt whose run was removed */
async function listAttempts(
  db: Kysely<Database>,
  roots: LogRoots,
  clusterDirectory: string,
  defaultMask: Mask,
): Promise<LoggedAttempt[]> {
  const names = (await readdir(join(clusterDirectory, 'attempts')).catch(undefinedIfMissing)) ?? [];
  const attempts: LoggedAttempt[] = [];
  for (const runId of names
    .map(Number)
    .filter(Number.isSafeInteger)
    .toSorted((one, other) => one - other)) {
    const directory = join(roots.runs.directory, String(runId));
    const ended = (await statIfExists(directory)) === undefined || (await hasEnded(directory));
    attempts.push({ runId, directory, ended, mask: (await maskOfAttempt(db, runId)) ?? defaultMask });
  }
  return attempts;
}

function sourceOf({ directory, ended, mask }: LoggedAttempt, stream: string): LogSource {
  return { path: join(directory, stream), isComplete: ended, mask };
}

/** Lists the output files of init scripts; the starts of the cluster follow one another in each file. */
async function listScriptLogs(
  clusterDirectory: string,
  mask: Mask,
  clusterTerminated: boolean,
): Promise<DeliveredLog[]> {
  const scriptsDirectory = join(clusterDirectory, 'init_scripts');
  const launches = ((await readdir(scriptsDirectory).catch(undefinedIfMissing)) ?? []).toSorted(
    (one, other) => Number(one) - Number(other),
  );
  const files = new Map<string, LogSource[]>();
  for (const launch of launches) {
    for (const script of (await readdir(join(scriptsDirectory, launch))).toSorted()) {
      const directory = join(scriptsDirectory, launch, script);
      const ended = clusterTerminated || (await hasEnded(directory));
      for (const stream of logStreams) {
        const target = `init_scripts/${script}.${stream}.log`;
        files.set(target, [
          ...(files.get(target) ?? []),
          { path: join(directory, stream), isComplete: ended, mask },
        ]);
      }
    }
  }
  return [...files].map(([target, sources]) => ({ target, sources }));
}

/** Renders the cluster events as log lines. */
function renderEventLines({ clusterId, name }: Cluster, events: readonly ClusterEvent[]): string {
  return events
    .map(({ time, type, details: { reason, current_num_workers: current, target_num_workers: target } }) => {
      const level = reason === undefined || reason.code === 'JOB_FINISHED' ? 'INFO' : 'WARN';
      const workers = target === undefined ? '' : ` workers=${current ?? 0}/${target}`;
      const why =
        reason === undefined
          ? ''
          : ` ${reason.code}${reason.parameters?.['message'] === undefined ? '' : `: ${reason.parameters['message']}`}`;
      return `${toIsoTime(time)} ${level} Cluster ${clusterId} (${name}): ${type}${workers}${why}\n`;
    })
    .join('');
}
