/**
 * Delivers the logs of clusters (spec 2.8): `<destination>/<cluster id>/{driver,executor,init_scripts}/`, in managed_fs alone.
 *
 * What has grown is appended. How far that got stands in `delivery.json` of the cluster's directory, written after the bytes: a delivery
 * that was killed in between is taken back to where it began, so that no line is there twice.
 */
import { constants } from 'node:fs';
import { mkdir, open, readdir, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sql, type Kysely } from 'kysely';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { isoTime } from '../engine/clock.ts';
import type { Cluster } from '../engine/cluster/cluster.ts';
import type { ClusterEvent } from '../engine/cluster/events.ts';
import { ServiceError } from '../engine/errors.ts';
import { pick } from '../engine/job/aliases.ts';
import { ClusterLogConf } from '../engine/job/cluster.ts';
import { jsonIn, missingAsUndefined, openRegular, readFrom, readText, statOf } from '../engine/read-file.ts';
import { createClusterReader } from './all-purpose.ts';
import { findCluster } from './cluster-rows.ts';
import { writeBytes } from './file-tree.ts';
import { prove, type Roots } from './roots.ts';
import type { Database } from './schema.ts';

type LogRoots = Pick<Roots, 'managedFs' | 'clusters' | 'runs'>;

/** Any number that nobody else takes for advisory locks of this database. */
const lockFamily = 7_401_116;
const chunkBytes = 2 ** 20;
const stateBytesMax = 16 * 2 ** 20;
const eventsMax = 10_000;
const patienceMs = 60 * 60 * 1_000;
const streams = ['stdout', 'stderr'] as const;

/** Notes that the logs of an attempt belong to those of a cluster. */
export async function noteAttempt(roots: LogRoots, clusterId: string, runId: number): Promise<void> {
  const directory = join(roots.clusters.directory, clusterId, 'attempts');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(join(directory, String(runId)), '');
}

/** Ids of the clusters that have logs to deliver. */
export async function clustersOwingLogs(db: Kysely<Database>): Promise<string[]> {
  const rows = await db.selectFrom('clusters').select('cluster_id').where('owes_logs', '=', true).execute();
  return rows.map((row) => row.cluster_id);
}

/**
 * Delivers what the logs of a cluster have grown by. Several may do so at once, also on other engines: one after the other.
 * @throws ServiceError when its destination cannot be written to
 */
export async function deliverClusterLogs(db: Kysely<Database>, roots: LogRoots, clusterId: string, now: number): Promise<void> {
  try {
    await db.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${lockFamily}, hashtext(${clusterId}))`.execute(transaction);
      const cluster = await findCluster(transaction, clusterId);
      const conf = cluster?.spec['cluster_log_conf'];
      if (cluster === undefined || !Check(ClusterLogConf, conf)) return;
      const { events } = await createClusterReader(transaction).events({ clusterId, from: undefined, to: undefined, types: undefined, newestFirst: false, offset: 0, limit: eventsMax });
      const rest = await deliver(roots, cluster, pick(conf, 'managed_fs')?.destination ?? '', events);
      // A process that vanished leaves no sign of its end: it is not waited for without end.
      if (rest === 'all' || (cluster.terminatedTime ?? now) < now - patienceMs) await owesNothing(transaction, clusterId);
    });
  } catch (error) {
    // Nothing will mend a destination that a finished cluster names wrongly.
    if (error instanceof ServiceError) await owesNothing(db, clusterId);
    // What may pass, such as a full disk, has its time to do so.
    else await owesNothing(db, clusterId, now - patienceMs);
    throw error;
  }
}

/** @param endedBefore leaves alone a cluster that ended later */
async function owesNothing(db: Kysely<Database>, clusterId: string, endedBefore = Number.MAX_SAFE_INTEGER): Promise<void> {
  await db.updateTable('clusters').set({ owes_logs: false }).where('cluster_id', '=', clusterId).where('state', '=', 'TERMINATED')
    .where('terminated_time', '<', endedBefore).execute();
}

/** One log file, and what it is put together from. */
interface LogFile {
  /** Below the cluster's folder. */
  readonly target: string;
  readonly sources: readonly string[];
}

async function deliver(roots: LogRoots, cluster: Cluster, destination: string, events: readonly ClusterEvent[]): Promise<'all' | 'more'> {
  const own = join(roots.clusters.directory, cluster.clusterId);
  const folder = `${destination.replace(/\/+$/, '')}/${cluster.clusterId}`;
  // Those that are over now have nothing to add after this delivery.
  const attempts = await attemptsOn(roots, own);
  const files: LogFile[] = [
    ...streams.map((stream) => ({ target: `driver/${stream}`, sources: attempts.map(({ runId }) => join(roots.runs.directory, String(runId), stream)) })),
    ...(await scriptLogs(own)),
  ];
  for (const directory of ['driver', 'executor', ...(cluster.spec['init_scripts'] === undefined ? [] : ['init_scripts'])]) {
    await mkdir(await prove(roots.managedFs, `${folder}/${directory}`), { recursive: true });
  }
  const state = await readState(own);
  for (const { target, sources } of files) await append(await prove(roots.managedFs, `${folder}/${target}`), target, sources, state);
  await writeBytes(roots.managedFs, `${folder}/driver/log4j-active.log`, Buffer.from(eventLines(cluster, events)), true);
  const over = attempts.filter((attempt) => attempt.over);
  for (const { runId } of over) for (const stream of streams) delete state.sources[join(roots.runs.directory, String(runId), stream)];
  await writeState(own, state);
  for (const { runId } of over) await rm(join(own, 'attempts', String(runId)), { force: true });
  return over.length === attempts.length ? 'all' : 'more';
}

async function attemptsOn(roots: LogRoots, own: string): Promise<{ readonly runId: number; readonly over: boolean }[]> {
  const names = (await readdir(join(own, 'attempts')).catch(missingAsUndefined)) ?? [];
  const ids = names.map(Number).filter(Number.isSafeInteger).toSorted((one, other) => one - other);
  return Promise.all(ids.map(async (runId) => {
    const directory = join(roots.runs.directory, String(runId));
    const gone = (await statOf(directory)) === undefined;
    return { runId, over: gone || (await statOf(join(directory, 'exit'))) !== undefined || (await statOf(join(directory, 'stopped'))) !== undefined };
  }));
}

/** The output of init scripts, of each start of the cluster after the one before. */
async function scriptLogs(own: string): Promise<LogFile[]> {
  const top = join(own, 'init_scripts');
  const launches = ((await readdir(top).catch(missingAsUndefined)) ?? []).toSorted((one, other) => Number(one) - Number(other));
  const files = new Map<string, string[]>();
  for (const launch of launches) {
    for (const script of (await readdir(join(top, launch))).toSorted()) {
      for (const stream of streams) {
        const target = `init_scripts/${script}.${stream}.log`;
        files.set(target, [...(files.get(target) ?? []), join(top, launch, script, stream)]);
      }
    }
  }
  return [...files].map(([target, sources]) => ({ target, sources }));
}

const State = Type.Object({ targets: Type.Record(Type.String(), Type.Integer({ minimum: 0 })), sources: Type.Record(Type.String(), Type.Integer({ minimum: 0 })) });
interface DeliveryState {
  /** Sizes of the delivered files. */
  readonly targets: Record<string, number>;
  /** How much of each log was delivered. */
  readonly sources: Record<string, number>;
}

async function readState(own: string): Promise<DeliveryState> {
  const { text } = await readText(join(own, 'delivery.json'), stateBytesMax);
  const state = jsonIn(text);
  return Check(State, state) ? state : { targets: {}, sources: {} };
}

async function writeState(own: string, state: DeliveryState): Promise<void> {
  await mkdir(own, { recursive: true, mode: 0o700 });
  await writeFile(join(own, 'delivery.json.part'), JSON.stringify(state));
  await rename(join(own, 'delivery.json.part'), join(own, 'delivery.json'));
}

/** Appends to a delivered file what its sources have grown by. */
async function append(path: string, target: string, sources: readonly string[], state: DeliveryState): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o644);
  try {
    const { size } = await file.stat();
    // Somebody may have cut or removed what was delivered: it is not delivered again.
    let end = Math.min(size, state.targets[target] ?? 0);
    if (size > end) await file.truncate(end);
    for (const source of sources) {
      const added = await copyGrowth(source, state.sources[source] ?? 0, file, end);
      end += added;
      state.sources[source] = (state.sources[source] ?? 0) + added;
    }
    state.targets[target] = end;
  } finally {
    await file.close();
  }
}

/** Copies what a log has beyond `offset` to a place of a file; says how many bytes that were. */
async function copyGrowth(source: string, offset: number, file: FileHandle, at: number): Promise<number> {
  const log = await openRegular(source);
  if (log === undefined) return 0;
  try {
    let added = 0;
    for (let bytes = await readFrom(log, offset, chunkBytes); bytes.length > 0; bytes = await readFrom(log, offset + added, chunkBytes)) {
      await file.write(bytes, 0, bytes.length, at + added);
      added += bytes.length;
    }
    return added;
  } finally {
    await log.close();
  }
}

/** What happened to the cluster, a line each. */
function eventLines({ clusterId, name }: Cluster, events: readonly ClusterEvent[]): string {
  return events.map(({ time, type, details: { reason, current_num_workers: current, target_num_workers: target } }) => {
    const level = reason === undefined || reason.code === 'JOB_FINISHED' ? 'INFO' : 'WARN';
    const workers = target === undefined ? '' : ` workers=${current ?? 0}/${target}`;
    const why = reason === undefined ? '' : ` ${reason.code}${reason.parameters?.['message'] === undefined ? '' : `: ${reason.parameters['message']}`}`;
    return `${isoTime(time)} ${level} Cluster ${clusterId} (${name}): ${type}${workers}${why}\n`;
  }).join('');
}
