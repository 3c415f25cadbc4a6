/**
 * Keeps this node's lease, adopts the runs of nodes that are gone, and sees to it that this node's own runs
 * are driven.
 */
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { isAlive } from '../process-identity.ts';
import type { Heartbeat, NodeIdentity, NodeStore } from '../ports/nodes.ts';
import type { Log } from '../ports/log.ts';
import type { RunStore } from '../ports/runs.ts';
import type { RunQueue } from './run-queue.ts';
import type { Coordinator } from './coordinator.ts';

export interface OwnershipLoopPorts {
  readonly nodes: NodeStore;
  readonly runs: Pick<RunStore, 'adopt' | 'adoptOwn' | 'listOwnedRuns' | 'find'>;
  readonly coordinator: Coordinator;
  readonly queue: Pick<RunQueue, 'wake'>;
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
  readonly sweepOrphans: () => Promise<void>;
}

export interface OwnershipLoop {
  /** Takes up nothing more that others leave behind; the lease is kept. */
  stopAdopting(): void;
  /** Ends the watch and the lease: others may adopt the runs at once. */
  close(): Promise<void>;
}

/** Runs adopted by one statement; more follow at once. */
const adoptBatchSize = 200;
/**
 * Looks for processes of attempts that are over, after a lease was lost: whoever adopted the runs may not
 * have ended them yet.
 */
const sweepsAfterLeaseLoss = 3;

/** Joins the nodes, adopts what is left behind, and keeps doing so. Resolves after the first round. */
export async function startOwnershipLoop(ports: OwnershipLoopPorts): Promise<OwnershipLoop> {
  const { nodes, clock, log, node, leaseMs, queue } = ports;
  await registerNode(ports);
  await adoptOrphans(ports);
  queue.wake();
  let [closed, resting, lost, toSweep] = [false, false, false, 0];
  let cancel = (): void => undefined;
  let round = Promise.resolve();
  let idle: readonly number[] = [];
  const beat = async (): Promise<void> => {
    const wasLost = lost;
    lost = false;
    try {
      if (wasLost) {
        toSweep = sweepsAfterLeaseLoss;
        await reconcileOwnership(ports);
      }
      // After an outage everybody's lease has ended: the others get the time to renew theirs before their
      // runs are taken.
      else if (!resting) await adoptOrphans(ports);
      idle = await resumeIdleRuns(ports, idle);
      // Its place may have become free on a node that is gone.
      if (!resting) queue.wake();
      if (toSweep > 0) {
        await ports.sweepOrphans();
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
    if (!closed) cancel = clock.runAt(clock.now() + leaseMs / 3, next);
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
  const cancelSigns = startLivenessReports(heartbeat, clock, leaseMs / 3);
  arm();
  return {
    stopAdopting() {
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
function startLivenessReports(heartbeat: Heartbeat, clock: Clock, every: number): () => void {
  let cancel = (): void => undefined;
  const sign = (): void => {
    heartbeat.reportAlive();
    cancel = clock.runAt(clock.now() + every, sign);
  };
  sign();
  return () => cancel();
}

async function registerNode({ nodes, node, leaseMs }: OwnershipLoopPorts): Promise<void> {
  const now = await nodes.getTime();
  await nodes.join(node, now + leaseMs, now);
}

/** After the lease had ended: others may have adopted runs, which this node lets go of at once. */
async function reconcileOwnership(ports: OwnershipLoopPorts): Promise<void> {
  const { log, node, runs, coordinator } = ports;
  // After a very long sleep nobody knows this node any more.
  await registerNode(ports);
  // In this order: a run that is accepted meanwhile is not among the first.
  const driven = coordinator.listDrivenRuns();
  const own = new Set((await runs.listOwnedRuns(node.nodeId)).map(({ runId }) => runId));
  const gone = driven.filter((runId) => !own.has(runId));
  coordinator.release(gone);
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
async function resumeIdleRuns(
  { runs, coordinator, log, node }: OwnershipLoopPorts,
  idleBefore: readonly number[],
): Promise<readonly number[]> {
  const owned = await runs.listOwnedRuns(node.nodeId);
  for (const { runId, stopReason, timeoutRevision } of owned) {
    if (stopReason !== undefined) coordinator.stop(runId, stopReason);
    const known = coordinator.timeoutRevisionOf(runId);
    if (known === undefined || known === timeoutRevision) continue;
    const settings = (await runs.find(runId))?.run.settings;
    if (settings !== undefined) coordinator.updateTimeouts(runId, settings, timeoutRevision);
  }
  const idle = owned.map(({ runId }) => runId).filter((runId) => !coordinator.isDriving(runId));
  const abandoned = idle.filter((runId) => idleBefore.includes(runId));
  if (abandoned.length === 0) return idle;
  log.warn({ runs: abandoned }, 'Taking up runs of this engine that nobody drives.');
  for (const run of await runs.adoptOwn(node.nodeId, abandoned)) coordinator.accept(run);
  return [];
}

async function adoptOrphans({ nodes, runs, coordinator, log, node }: OwnershipLoopPorts): Promise<void> {
  await expireDeadNodes(nodes, node);
  for (;;) {
    const adopted = await runs.adopt(node.nodeId, await nodes.getTime(), adoptBatchSize);
    for (const run of adopted) coordinator.accept(run);
    if (adopted.length > 0)
      log.info(
        { runs: adopted.map(({ run }) => run.runId) },
        'Adopted active runs of an engine that is gone.',
      );
    if (adopted.length < adoptBatchSize) return;
  }
}

/** A node of this machine whose process is gone needs no patience: its lease will not be renewed. */
async function expireDeadNodes(nodes: NodeStore, own: NodeIdentity): Promise<void> {
  const now = await nodes.getTime();
  const neighbours = (await nodes.listOnHost(own.host, now)).filter(({ nodeId }) => nodeId !== own.nodeId);
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
