/**
 * The outbox dispatcher: turns outbox events into deliveries and sends them, at least once and in order for
 * each run and recipient. Each destination has a delivery queue of its own and e-mail has one, so that a slow
 * destination delays no other. Nothing polls: NOTIFY, the time of the next attempt, and a sweep that finds
 * the deliveries of dead engines wake the queues.
 */
import { messageOf } from '../engine/errors.ts';
import { emailQueueKey, type ClaimedDelivery } from '../engine/notification/delivery.ts';
import { attemptDelivery, type SendPorts } from './attempt-delivery.ts';
import { mailConcurrency } from './mailer.ts';
import { singleFlight, createEarliestTimer, createTaskTracker } from './task-tracker.ts';
import { createDeliveryQueue, type DeliveryQueue } from './delivery-queue.ts';

export type DispatcherPorts = SendPorts;

export interface OutboxDispatcher {
  /** Wakes the queue with this key; with '' the outbox; with undefined all. Returns at once. */
  wake(queueKey: string | undefined): void;
  /**
   * Claims no more, waits a moment for the deliveries in progress, then aborts and releases the rest: another
   * engine sends them.
   */
  close(): Promise<void>;
}

/** Maximum deliveries to one destination in progress at a time. */
const destinationConcurrency = 8;

/** Outbox events that become deliveries in one transaction. */
const outboxBatchSize = 500;

/** Interval of the sweep that finds the claims of dead engines. */
const sweepIntervalMs = 30_000;

/** Delay of the sweep after a failure, such as an unavailable database. */
const retryDelayMs = 5_000;

const postponeMs = 60_000;

export function createOutboxDispatcher(ports: DispatcherPorts): OutboxDispatcher {
  const { store, clock, log, nodeId } = ports;
  const tasks = createTaskTracker(clock, (error) => {
    timer.at(clock.now() + retryDelayMs);
    log.warn({ error: messageOf(error) }, 'Outbox dispatch failed; retrying in 5 s.');
  });
  const queues = new Map<string, DeliveryQueue>();
  const timer = createEarliestTimer(clock, () => sweep());
  const aborted = new AbortController();
  const { isClosing } = tasks;

  const dispatchOutbox = singleFlight(tasks.run, async () => {
    let dispatched;
    do dispatched = isClosing() ? 0 : await store.dispatchOutboxEvents(clock.now(), outboxBatchSize);
    while (dispatched === outboxBatchSize);
  });
  const sweep = singleFlight(tasks.run, async () => {
    // Set the timer first, so that the next sweep runs even when this one fails.
    timer.at(clock.now() + sweepIntervalMs);
    dispatchOutbox();
    const { due, next } = await store.findDueQueueKeys(clock.now());
    for (const [key, queue] of queues) if (queue.isIdle()) queues.delete(key);
    for (const key of due) wakeQueue(key);
    if (next !== undefined) timer.at(next);
  });
  const wakeQueue = (key: string): void => {
    const queue =
      queues.get(key) ??
      createDeliveryQueue({
        claim: async (limit) => (isClosing() ? [] : store.claim(key, nodeId, clock.now(), limit)),
        deliver: async (delivery) => timer.at(await attemptOrPostpone(ports, delivery, aborted.signal)),
        concurrency: key === emailQueueKey ? mailConcurrency : destinationConcurrency,
        run: tasks.run,
      });
    queues.set(key, queue);
    queue.wake();
  };

  return {
    wake(queueKey) {
      if (isClosing()) return;
      if (queueKey === undefined) sweep();
      else if (queueKey === '') dispatchOutbox();
      else wakeQueue(queueKey);
    },
    async close() {
      timer.close();
      await tasks.close(() => {
        aborted.abort();
        ports.mailer.close();
      });
      ports.mailer.close();
      await store.release(nodeId).catch(() => undefined);
    },
  };
}

/** Makes one attempt. Returns the time of the next one, Infinity when there is none. Never rejects. */
async function attemptOrPostpone(
  ports: DispatcherPorts,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<number> {
  const { store, clock, log, nodeId } = ports;
  try {
    return (await attemptDelivery(ports, delivery, signal)) ?? Infinity;
  } catch (error) {
    // A bug or a database fault, not an answer of the destination: no attempt is recorded.
    log.error(
      { delivery_id: delivery.deliveryId, error: messageOf(error) },
      'Delivery attempt failed inside the engine; retrying in 1 min.',
    );
    const until = clock.now() + postponeMs;
    await store.postpone(delivery.deliveryId, nodeId, until).catch(() => undefined);
    return until;
  }
}
