/** Keeps this node's lease, adopts the runs of nodes that are gone, and sees to it that this node's own runs are driven. */
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { isAlive } from '../host.ts';
import type { Log, NodeIdentity, NodeStore } from '../ports.ts';
import type { RunStore } from '../run-ports.ts';
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
  /** How long a lease lasts without renewal, in milliseconds. It is renewed three times in that span. */
  readonly leaseMs: number;
}

export interface Watch {
  /** Ends the watch and the lease: others may adopt the runs at once. */
  close(): Promise<void>;
}

/** Runs adopted by one statement; more follow at once. */
const adoptMax = 200;

/** Joins the nodes, adopts what is left behind, and keeps doing so. Resolves after the first round. */
export async function startWatch(ports: WatchPorts): Promise<Watch> {
  const { nodes, clock, log, node, leaseMs } = ports;
  await nodes.join(node, clock.now() + leaseMs, clock.now());
  await adoptAll(ports);
  ports.queue.serve();
  let closed = false;
  let cancel = (): void => undefined;
  let round = Promise.resolve();
  let idle: readonly number[] = [];
  const arm = (): void => {
    if (!closed) cancel = clock.at(clock.now() + leaseMs / 3, () => { round = beat().then(arm); });
  };
  const beat = async (): Promise<void> => {
    try {
      const kept = await nodes.renew(node.nodeId, clock.now() + leaseMs, clock.now());
      if (!kept) {
        log.warn({ node_id: node.nodeId }, 'The lease of this engine had ended before it was renewed; other engines may have adopted runs.');
        // After a very long sleep nobody knows this node any more.
        await nodes.join(node, clock.now() + leaseMs, clock.now());
      }
      // After an outage everybody's lease has ended: the others get the time to renew theirs before their runs are taken.
      if (kept) await adoptAll(ports);
      idle = await lookAtOwn(ports, idle);
      // Its place may have become free on a node that is gone.
      ports.queue.serve();
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'The lease could not be renewed; trying again.');
    }
  };
  arm();
  return {
    async close() {
      closed = true;
      cancel();
      await round;
      await nodes.leave(node.nodeId).catch((error: unknown) => {
        log.warn({ error: messageOf(error) }, 'The lease could not be given back; others adopt the runs when it ends.');
      });
    },
  };
}

/**
 * Passes on stops and timeouts that were noted elsewhere, and takes up runs of this node that nobody drives: a write about them failed
 * for good. One that was accepted this very moment is not driven yet, so it must have been idle in the round before too.
 * @returns the runs that are idle now
 */
async function lookAtOwn({ runs, coordinator, log, node }: WatchPorts, idleBefore: readonly number[]): Promise<readonly number[]> {
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

async function adoptAll({ nodes, runs, coordinator, clock, log, node }: WatchPorts): Promise<void> {
  await expireTheDead(nodes, node, clock);
  for (;;) {
    const adopted = await runs.adopt(node.nodeId, clock.now(), adoptMax);
    for (const run of adopted) coordinator.accept(run);
    if (adopted.length > 0) log.info({ runs: adopted.map(({ run }) => run.runId) }, 'Adopted active runs of an engine that is gone.');
    if (adopted.length < adoptMax) return;
  }
}

/** A node of this machine whose process is gone needs no patience: its lease will not be renewed. */
async function expireTheDead(nodes: NodeStore, own: NodeIdentity, clock: Clock): Promise<void> {
  const neighbours = (await nodes.onHost(own.host, clock.now())).filter(({ nodeId }) => nodeId !== own.nodeId);
  const dead = [];
  for (const neighbour of neighbours) {
    const alive = await isAlive({ pid: neighbour.pid, startTime: neighbour.processStart, bootId: neighbour.bootId });
    if (!alive) dead.push(neighbour.nodeId);
  }
  await nodes.expire(dead, clock.now());
}
