/**
 * Delivers the logs of clusters (spec 2.8): `<destination>/<cluster id>/{driver,executor,init_scripts}/`, in
 * managed_fs alone. They are shown as everywhere: without the secrets of the runs, and with a line for what
 * was left out.
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql, type Kysely } from 'kysely';
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
import { createClusterReader } from '../postgres/clusters/all-purpose-clusters.ts';
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
import { maskOfAttempt, maskOfCluster } from '../postgres/runs/run-mask.ts';
import type { Database } from '../postgres/schema.ts';

type LogRoots = Pick<Roots, 'managedFs' | 'clusters' | 'runs'>;

/** Any number that nobody else takes for advisory locks of this database. */
const logDeliveryLockFamily = 7_401_116;
const eventsMax = 10_000;
const giveUpAfterMs = 60 * 60 * 1_000;

/** Notes that the logs of an attempt belong to those of a cluster. */
export async function recordClusterAttempt(roots: LogRoots, clusterId: string, runId: number): Promise<void> {
  const directory = join(roots.clusters.directory, clusterId, 'attempts');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(join(directory, String(runId)), '');
}

/** Ids of the clusters that have logs to deliver. */
export async function listClustersWithPendingLogs(db: Kysely<Database>): Promise<string[]> {
  const rows = await db.selectFrom('clusters').select('cluster_id').where('owes_logs', '=', true).execute();
  return rows.map((row) => row.cluster_id);
}

/**
 * Delivers what the logs of a cluster have grown by. Several may do so at once, also on other engines: one
 * after the other.
 * @throws ServiceError when its destination cannot be written to
 */
export async function deliverClusterLogs(
  db: Kysely<Database>,
  roots: LogRoots,
  clusterId: string,
  now: number,
): Promise<void> {
  try {
    await db.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${logDeliveryLockFamily}, hashtext(${clusterId}))`.execute(
        transaction,
      );
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
      const rest = await deliverLogs(
        transaction,
        roots,
        cluster,
        readAliased(conf, 'managed_fs')?.destination ?? '',
        events,
      );
      // A process that vanished leaves no sign of its end: it is not waited for without end.
      if (rest === 'all' || (cluster.terminatedTime ?? now) < now - giveUpAfterMs)
        await markLogsDelivered(transaction, clusterId);
    });
  } catch (error) {
    // Nothing will mend a destination that a finished cluster names wrongly.
    if (error instanceof ServiceError) await markLogsDelivered(db, clusterId);
    // What may pass, such as a full disk, has its time to do so.
    else await markLogsDelivered(db, clusterId, now - giveUpAfterMs);
    throw error;
  }
}

/** @param endedBefore leaves alone a cluster that ended later */
async function markLogsDelivered(
  db: Kysely<Database>,
  clusterId: string,
  endedBefore = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  await db
    .updateTable('clusters')
    .set({ owes_logs: false })
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
  const own = join(roots.clusters.directory, cluster.clusterId);
  const folder = `${destination.replace(/\/+$/, '')}/${cluster.clusterId}`;
  const mask = maskOfCluster(cluster);
  // Those that are over now have nothing to add after this delivery.
  const attempts = await listAttempts(db, roots, own, mask);
  const files: DeliveredLog[] = [
    ...logStreams.map((stream) => ({
      target: `driver/${stream}`,
      sources: attempts.map((attempt) => sourceOf(attempt, stream)),
    })),
    ...(await listScriptLogs(own, mask, cluster.state === 'TERMINATED')),
  ];
  for (const directory of [
    'driver',
    'executor',
    ...(cluster.spec['init_scripts'] === undefined ? [] : ['init_scripts']),
  ]) {
    await mkdir(await resolveInside(roots.managedFs, `${folder}/${directory}`), { recursive: true });
  }
  const state = await readLogDeliveryState(own);
  for (const file of files)
    await appendLogs(await resolveInside(roots.managedFs, `${folder}/${file.target}`), file, state);
  await writeBytes(
    roots.managedFs,
    `${folder}/driver/log4j-active.log`,
    Buffer.from(maskText(mask, renderEventLines(cluster, events))),
    true,
  );
  const over = attempts.filter((attempt) => attempt.over);
  for (const attempt of over)
    for (const stream of logStreams) delete state.sources[sourceOf(attempt, stream).path];
  await writeLogDeliveryState(own, state);
  for (const { runId } of over) await rm(join(own, 'attempts', String(runId)), { force: true });
  return over.length === attempts.length ? 'all' : 'more';
}

interface LoggedAttempt {
  readonly runId: number;
  readonly directory: string;
  readonly over: boolean;
  readonly mask: Mask;
}

/** @param otherwise what is not to be shown of an attempt whose run is gone */
async function listAttempts(
  db: Kysely<Database>,
  roots: LogRoots,
  own: string,
  otherwise: Mask,
): Promise<LoggedAttempt[]> {
  const names = (await readdir(join(own, 'attempts')).catch(undefinedIfMissing)) ?? [];
  const attempts: LoggedAttempt[] = [];
  for (const runId of names
    .map(Number)
    .filter(Number.isSafeInteger)
    .toSorted((one, other) => one - other)) {
    const directory = join(roots.runs.directory, String(runId));
    const over = (await statIfExists(directory)) === undefined || (await hasEnded(directory));
    attempts.push({ runId, directory, over, mask: (await maskOfAttempt(db, runId)) ?? otherwise });
  }
  return attempts;
}

function sourceOf({ directory, over, mask }: LoggedAttempt, stream: string): LogSource {
  return { path: join(directory, stream), isComplete: over, mask };
}

/** Whether the process of a directory is over. */
async function hasEnded(directory: string): Promise<boolean> {
  return (
    (await statIfExists(join(directory, 'exit'))) !== undefined ||
    (await statIfExists(join(directory, 'stopped'))) !== undefined
  );
}

/** The output of init scripts, of each start of the cluster after the one before. */
async function listScriptLogs(own: string, mask: Mask, clusterIsOver: boolean): Promise<DeliveredLog[]> {
  const top = join(own, 'init_scripts');
  const launches = ((await readdir(top).catch(undefinedIfMissing)) ?? []).toSorted(
    (one, other) => Number(one) - Number(other),
  );
  const files = new Map<string, LogSource[]>();
  for (const launch of launches) {
    for (const script of (await readdir(join(top, launch))).toSorted()) {
      const directory = join(top, launch, script);
      const over = clusterIsOver || (await hasEnded(directory));
      for (const stream of logStreams) {
        const target = `init_scripts/${script}.${stream}.log`;
        files.set(target, [
          ...(files.get(target) ?? []),
          { path: join(directory, stream), isComplete: over, mask },
        ]);
      }
    }
  }
  return [...files].map(([target, sources]) => ({ target, sources }));
}

/** What happened to the cluster, a line each. */
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
