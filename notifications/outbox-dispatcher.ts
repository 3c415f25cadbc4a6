/**
 * Delivers notices, at least once and each run's in their order. Every destination is a way of its own, and
 * all mail together is one: what holds up one way holds up no other. Nothing is asked for again and again:
 * the bell of the database, the time of the next try, and a slow round in case that an engine has died, lead
 * to the next look.
 */
import { messageOf } from '../engine/errors.ts';
import type { Log } from '../engine/ports/log.ts';
import { emailQueueKey, type ClaimedDelivery } from '../engine/notification/delivery.ts';
import { attemptDelivery, type SendPorts } from './attempt-delivery.ts';
import { mailConcurrency } from './mailer.ts';
import { singleFlight, createEarliestTimer, createTaskTracker } from './task-tracker.ts';
import { createDeliveryQueue, type DeliveryQueue } from './delivery-queue.ts';

export interface DispatcherPorts extends SendPorts {
  readonly log: Log;
}

export interface OutboxDispatcher {
  /** Something is due: on a way; with '' in the outbox; with undefined perhaps anywhere. Returns at once. */
  wake(way: string | undefined): void;
  /**
   * Takes nothing new, waits a moment for what is under way, and gives up the rest: another engine sends it.
   */
  close(): Promise<void>;
}

/** Deliveries of one destination that are under way at a time. */
const destinationConcurrency = 8;

/** Notices that become deliveries with one transaction. */
const outboxBatchSize = 500;

/** The round in which what a dead engine had claimed is found. */
const sweepIntervalMs = 30_000;

export function createOutboxDispatcher(ports: DispatcherPorts): OutboxDispatcher {
  const { store, clock, log, nodeId } = ports;
  const work = createTaskTracker(clock, log);
  const ways = new Map<string, DeliveryQueue>();
  const alarm = createEarliestTimer(clock, () => lookEverywhere());
  const stopped = new AbortController();
  const closing = (): boolean => work.closing();

  const takeUp = singleFlight(work.run, async () => {
    let taken;
    do taken = closing() ? 0 : await store.dispatchOutboxEvents(clock.now(), outboxBatchSize);
    while (taken === outboxBatchSize);
  });
  const lookEverywhere = singleFlight(work.run, async () => {
    // First the time of the next look, so that there is one whatever fails here.
    alarm.at(clock.now() + sweepIntervalMs);
    takeUp();
    const { due, next } = await store.findDueQueueKeys(clock.now());
    for (const [name, way] of ways) if (way.isIdle()) ways.delete(name);
    for (const name of due) look(name);
    if (next !== undefined) alarm.at(next);
  });
  const look = (name: string): void => {
    const way =
      ways.get(name) ??
      createDeliveryQueue({
        claim: async (limit) => (closing() ? [] : store.claim(name, nodeId, clock.now(), limit)),
        deliver: async (delivery) => alarm.at(await attemptOrPostpone(ports, delivery, stopped.signal)),
        concurrency: name === emailQueueKey ? mailConcurrency : destinationConcurrency,
        run: work.run,
      });
    ways.set(name, way);
    way.wake();
  };

  return {
    wake(way) {
      if (closing()) return;
      if (way === undefined) lookEverywhere();
      else if (way === '') takeUp();
      else look(way);
    },
    async close() {
      alarm.close();
      await work.close(() => {
        stopped.abort();
        ports.mailer.close();
      });
      ports.mailer.close();
      await store.release(nodeId).catch(() => undefined);
    },
  };
}

/** One try; gives the time of the next one, never when there is none. Never rejects. */
async function attemptOrPostpone(
  ports: DispatcherPorts,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<number> {
  const { store, clock, log, nodeId } = ports;
  try {
    return (await attemptDelivery(ports, delivery, signal)) ?? Infinity;
  } catch (error) {
    // A fault of ours or of the database: nothing is said of the receiver, and nothing may be lost.
    log.error(
      { delivery_id: delivery.deliveryId, error: messageOf(error) },
      'A notice could not be sent; it is tried again in a minute.',
    );
    const until = clock.now() + 2 * sweepIntervalMs;
    await store.postpone(delivery.deliveryId, nodeId, until).catch(() => undefined);
    return until;
  }
}
