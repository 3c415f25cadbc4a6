/** Ownership loop: keeps this node's lease, adopts orphaned runs, and resumes runs that it does not drive. */
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
  /** Duration of a lease without renewal, in milliseconds. */
  readonly leaseMs: number;
  /** Starts to renew the lease, apart from this loop; calls `onLost` when it had ended before a renewal. */
  readonly heartbeat: (onLost: () => void) => Heartbeat;
  /** Ends processes of attempts that are over. */
  readonly sweepOrphans: () => Promise<void>;
}

export interface OwnershipLoop {
  /** Adopts no more runs; the lease is kept. */
  stopAdopting(): void;
  /** Ends the loop and the lease: other nodes may adopt the runs at once. */
  close(): Promise<void>;
}

/** Runs adopted by one statement; more follow at once. */
const adoptBatchSize = 200;
/** Orphan sweeps after a lost lease: engines that adopted the runs may not have ended the processes yet. */
const sweepsAfterLeaseLoss = 3;

/** State of the loop between two rounds. */
interface LoopState {
  closed: boolean;
  /** True once the node adopts no more runs. */
  adoptionStopped: boolean;
  /** True when the lease had ended and the runs have not been reconciled since. */
  leaseLost: boolean;
  sweepsLeft: number;
  /** Runs of this node that it did not drive in the previous round. */
  idleRuns: readonly number[];
}

/** Registers the node, adopts orphaned runs, and repeats that. Resolves after the first round. */
export async function startOwnershipLoop(ports: OwnershipLoopPorts): Promise<OwnershipLoop> {
  const { clock, leaseMs, queue } = ports;
  await registerNode(ports);
  await adoptOrphans(ports);
  queue.wake();
  const state: LoopState = {
    closed: false,
    adoptionStopped: false,
    leaseLost: false,
    sweepsLeft: 0,
    idleRuns: [],
  };
  let cancelTimer = (): void => undefined;
  let lastRound = Promise.resolve();
  const setTimer = (): void => {
    // After a lost lease two rounds may follow each other.
    cancelTimer();
    if (!state.closed) cancelTimer = clock.runAt(clock.now() + leaseMs / 3, startRound);
  };
  const startRound = (): void => {
    lastRound = lastRound.then(() => runRound(ports, state)).then(setTimer);
  };
  const heartbeat = ports.heartbeat(() => {
    if (state.leaseLost || state.closed) return;
    state.leaseLost = true;
    cancelTimer();
    startRound();
  });
  const stopReports = startLivenessReports(heartbeat, clock, leaseMs / 3);
  setTimer();
  return {
    stopAdopting() {
      state.adoptionStopped = true;
    },
    async close() {
      state.closed = true;
      cancelTimer();
      stopReports();
      await heartbeat.close();
      await lastRound;
      await returnLease(ports);
    },
  };
}

/** One round: adopts orphans, or reconciles after a lost lease, and resumes idle runs. Never rejects. */
async function runRound(ports: OwnershipLoopPorts, state: LoopState): Promise<void> {
  const { queue, log } = ports;
  const leaseWasLost = state.leaseLost;
  state.leaseLost = false;
  try {
    if (leaseWasLost) {
      state.sweepsLeft = sweepsAfterLeaseLoss;
      // Adopts nothing: after an outage every lease has ended, and the other nodes renew theirs now.
      await reconcileOwnership(ports);
    } else if (!state.adoptionStopped) await adoptOrphans(ports);
    state.idleRuns = await resumeIdleRuns(ports, state.idleRuns);
    // A node that is gone may have freed capacity.
    if (!state.adoptionStopped) queue.wake();
    if (state.sweepsLeft > 0) {
      await ports.sweepOrphans();
      state.sweepsLeft -= 1;
    }
  } catch (error) {
    state.leaseLost ||= leaseWasLost;
    log.warn({ error: messageOf(error) }, 'The ownership round of this engine failed; retrying.');
  }
}

async function returnLease({ nodes, node, log }: OwnershipLoopPorts): Promise<void> {
  await nodes.leave(node.nodeId).catch((error: unknown) => {
    log.warn(
      { error: messageOf(error) },
      'The lease could not be returned; other engines adopt the runs when it ends.',
    );
  });
}

/**
 * Reports in intervals that the event loop runs. Independent of the rounds, which may wait long for the
 * database.
 */
function startLivenessReports(heartbeat: Heartbeat, clock: Clock, intervalMs: number): () => void {
  let cancel = (): void => undefined;
  const report = (): void => {
    heartbeat.reportAlive();
    cancel = clock.runAt(clock.now() + intervalMs, report);
  };
  report();
  return () => cancel();
}

async function registerNode({ nodes, node, leaseMs }: OwnershipLoopPorts): Promise<void> {
  const now = await nodes.getTime();
  await nodes.join(node, now + leaseMs, now);
}

/** Releases the runs that other nodes have adopted since the lease ended. */
async function reconcileOwnership(ports: OwnershipLoopPorts): Promise<void> {
  const { log, node, runs, coordinator } = ports;
  // After a very long pause the node is no longer registered.
  await registerNode(ports);
  // Driven runs first: a run that is accepted between the two reads is not released.
  const driven = coordinator.listDrivenRuns();
  const own = new Set((await runs.listOwnedRuns(node.nodeId)).map(({ runId }) => runId));
  const gone = driven.filter((runId) => !own.has(runId));
  coordinator.release(gone);
  log.warn(
    { node_id: node.nodeId, runs: gone },
    'The lease of this engine ended before it was renewed: the engine was paused or the database was away. Runs that other engines have adopted are released.',
  );
}

/**
 * Applies stops and timeouts that other nodes have stored, and resumes runs of this node that it does not
 * drive: a write about them failed. A run that is being accepted is not driven yet, so a run is resumed when
 * it was idle in the previous round too.
 * @returns the runs that are idle now
 */
async function resumeIdleRuns(
  { runs, coordinator, log, node }: OwnershipLoopPorts,
  idleBefore: readonly number[],
): Promise<readonly number[]> {
  const owned = await runs.listOwnedRuns(node.nodeId);
  for (const { runId, stopReason, stopMessage, timeoutRevision } of owned) {
    if (stopReason !== undefined) coordinator.stop(runId, stopReason, stopMessage);
    const known = coordinator.timeoutRevisionOf(runId);
    if (known === undefined || known === timeoutRevision) continue;
    const settings = (await runs.find(runId))?.run.settings;
    if (settings !== undefined) coordinator.updateTimeouts(runId, settings, timeoutRevision);
  }
  const idle = owned.map(({ runId }) => runId).filter((runId) => !coordinator.isDriving(runId));
  const abandoned = idle.filter((runId) => idleBefore.includes(runId));
  if (abandoned.length === 0) return idle;
  log.warn({ runs: abandoned }, 'Resuming runs of this engine that were not driven.');
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
        'Adopted active runs of engines that are gone.',
      );
    if (adopted.length < adoptBatchSize) return;
  }
}

/** Ends the leases of nodes on this machine whose process is gone: they are never renewed. */
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
