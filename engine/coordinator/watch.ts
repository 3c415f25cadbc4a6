/**
 * Keeps this node's lease, adopts the runs of nodes that are gone, and sees to it that this node's own runs
 * are driven.
 */
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { isAlive } from '../host.ts';
import type { Heartbeat, Log, NodeIdentity, NodeStore } from '../ports/engine.ts';
import type { RunStore } from '../ports/runs.ts';
import type { RunQueue } from './admit.ts';
import type { Coordinator } from './coordinator.ts';

export interface WatchPorts {
  readonly nodes: NodeStore;
  readonly runs: Pick<RunStore, 'adopt' | 'reclaim' | 'ownedBy' | 'find'>;
  readonly coordinator: Coordinator;
  readonly queue: Pick<RunQueue, 'serve'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly node: NodeIdentity;
  /** How long a lease lasts without renewal, in milliseconds. */
  readonly leaseMs: number;
  /**
   * Starts to keep the lease, aside from this loop; `onLost` is called each time it had ended before it was
   * renewed.
   */
  readonly heartbeat: (onLost: () => void) => Heartbeat;
  /** Ends processes of attempts that are over. */
  readonly sweep: () => Promise<void>;
}

export interface Watch {
  /** Takes up nothing more that others leave behind; the lease is kept. */
  rest(): void;
  /** Ends the watch and the lease: others may adopt the runs at once. */
  close(): Promise<void>;
}

/** Runs adopted by one statement; more follow at once. */
const adoptMax = 200;
/**
 * Looks for processes of attempts that are over, after a lease was lost: whoever adopted the runs may not
 * have ended them yet.
 */
const sweeps = 3;

/** Joins the nodes, adopts what is left behind, and keeps doing so. Resolves after the first round. */
export async function startWatch(ports: WatchPorts): Promise<Watch> {
  const { nodes, clock, log, node, leaseMs, queue } = ports;
  await join(ports);
  await adoptAll(ports);
  queue.serve();
  let [closed, resting, lost, toSweep] = [false, false, false, 0];
  let cancel = (): void => undefined;
  let round = Promise.resolve();
  let idle: readonly number[] = [];
  const beat = async (): Promise<void> => {
    const wasLost = lost;
    lost = false;
    try {
      if (wasLost) {
        toSweep = sweeps;
        await takeStock(ports);
      }
      // After an outage everybody's lease has ended: the others get the time to renew theirs before their
      // runs are taken.
      else if (!resting) await adoptAll(ports);
      idle = await lookAtOwn(ports, idle);
      // Its place may have become free on a node that is gone.
      if (!resting) queue.serve();
      if (toSweep > 0) {
        await ports.sweep();
        toSweep -= 1;
      }
    } catch (error) {
      lost ||= wasLost;
      log.warn(
        { error: messageOf(error) },
        'The runs of this engine could not be looked after; trying again.',
      );
    }
  };
  const arm = (): void => {
    // A lost lease may have had two rounds follow each other.
    cancel();
    if (!closed) cancel = clock.at(clock.now() + leaseMs / 3, next);
  };
  const next = (): void => {
    round = round.then(beat).then(arm);
  };
  const heartbeat = ports.heartbeat(() => {
    if (lost || closed) return;
    lost = true;
    cancel();
    next();
  });
  const cancelSigns = giveSigns(heartbeat, clock, leaseMs / 3);
  arm();
  return {
    rest() {
      resting = true;
    },
    async close() {
      closed = true;
      cancel();
      cancelSigns();
      await heartbeat.close();
      await round;
      await nodes.leave(node.nodeId).catch((error: unknown) => {
        log.warn(
          { error: messageOf(error) },
          'The lease could not be given back; others adopt the runs when it ends.',
        );
      });
    },
  };
}

/**
 * Says again and again that the loop moves. Not with the beat: that may wait long for the database, and the
 * loop moves all the same.
 */
function giveSigns(heartbeat: Heartbeat, clock: Clock, every: number): () => void {
  let cancel = (): void => undefined;
  const sign = (): void => {
    heartbeat.alive();
    cancel = clock.at(clock.now() + every, sign);
  };
  sign();
  return () => cancel();
}

async function join({ nodes, node, leaseMs }: WatchPorts): Promise<void> {
  const now = await nodes.time();
  await nodes.join(node, now + leaseMs, now);
}

/** After the lease had ended: others may have adopted runs, which this node lets go of at once. */
async function takeStock(ports: WatchPorts): Promise<void> {
  const { log, node, runs, coordinator } = ports;
  // After a very long sleep nobody knows this node any more.
  await join(ports);
  // In this order: a run that is accepted meanwhile is not among the first.
  const driven = coordinator.driven();
  const own = new Set((await runs.ownedBy(node.nodeId)).map(({ runId }) => runId));
  const gone = driven.filter((runId) => !own.has(runId));
  coordinator.letGo(gone);
  log.warn(
    { node_id: node.nodeId, runs: gone },
    'The lease of this engine had ended before it was renewed: it was paused, or the database was away. Runs that other engines have adopted meanwhile are theirs now.',
  );
}

/**
 * Passes on stops and timeouts that were noted elsewhere, and takes up runs of this node that nobody drives:
 * a write about them failed for good. One that was accepted this very moment is not driven yet, so it must
 * have been idle in the round before too.
 * @returns the runs that are idle now
 */
async function lookAtOwn(
  { runs, coordinator, log, node }: WatchPorts,
  idleBefore: readonly number[],
): Promise<readonly number[]> {
  const owned = await runs.ownedBy(node.nodeId);
  for (const { runId, stopReason, retimes } of owned) {
    if (stopReason !== undefined) coordinator.stop(runId, stopReason);
    const known = coordinator.retimesOf(runId);
    if (known === undefined || known === retimes) continue;
    const settings = (await runs.find(runId))?.run.settings;
    if (settings !== undefined) coordinator.retime(runId, settings, retimes);
  }
  const idle = owned.map(({ runId }) => runId).filter((runId) => !coordinator.drives(runId));
  const abandoned = idle.filter((runId) => idleBefore.includes(runId));
  if (abandoned.length === 0) return idle;
  log.warn({ runs: abandoned }, 'Taking up runs of this engine that nobody drives.');
  for (const run of await runs.reclaim(node.nodeId, abandoned)) coordinator.accept(run);
  return [];
}

async function adoptAll({ nodes, runs, coordinator, log, node }: WatchPorts): Promise<void> {
  await expireTheDead(nodes, node);
  for (;;) {
    const adopted = await runs.adopt(node.nodeId, await nodes.time(), adoptMax);
    for (const run of adopted) coordinator.accept(run);
    if (adopted.length > 0)
      log.info(
        { runs: adopted.map(({ run }) => run.runId) },
        'Adopted active runs of an engine that is gone.',
      );
    if (adopted.length < adoptMax) return;
  }
}

/** A node of this machine whose process is gone needs no patience: its lease will not be renewed. */
async function expireTheDead(nodes: NodeStore, own: NodeIdentity): Promise<void> {
  const now = await nodes.time();
  const neighbours = (await nodes.onHost(own.host, now)).filter(({ nodeId }) => nodeId !== own.nodeId);
  const dead = [];
  for (const neighbour of neighbours) {
    const alive = await isAlive({
      pid: neighbour.pid,
      startTime: neighbour.processStart,
      bootId: neighbour.bootId,
    });
    if (!alive) dead.push(neighbour.nodeId);
  }
  await nodes.expire(dead, now);
}
