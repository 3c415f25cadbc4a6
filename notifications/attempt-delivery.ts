/** One try of one delivery: what is sent is made and kept, then sent, then what came of it is noted. */
import type { Clock } from '../engine/clock.ts';
import type { ClaimedDelivery, DeliveryAttempt, DeliveryMessage } from '../engine/notification/delivery.ts';
import { decideNextAttempt } from '../engine/notification/delivery-retry.ts';
import type { DeliveryStore } from '../engine/ports/notifications.ts';
import type { Mailer } from './mailer.ts';
import { renderMessage, type MessagePorts } from './render-message.ts';
import type { SendResult } from './send-result.ts';
import { postWebhook, type WebhookPorts } from './webhook.ts';

export interface SendPorts extends MessagePorts, Omit<WebhookPorts, 'clock'> {
  readonly store: DeliveryStore;
  readonly clock: Clock;
  readonly nodeId: string;
  readonly mailer: Mailer;
  /** Wait after the first failed try, in ms. */
  readonly retryBaseMs: number;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/** Returns when it is to be tried again (epoch ms), if it is. What is aborted is left as it was. */
export async function attemptDelivery(
  ports: SendPorts,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { store, clock, nodeId, random, retryBaseMs } = ports;
  const { deliveryId } = delivery;
  const message = await ensureMessage(ports, delivery);
  if (signal.aborted) return undefined;
  const began = clock.now();
  const { outcome, ...seen } = await send(ports, delivery, message, signal);
  if (signal.aborted && outcome.kind !== 'delivered') return undefined;
  const now = Math.max(began, clock.now());
  const attempt: DeliveryAttempt = { time: began, durationMs: now - began, ...seen };
  const after = decideNextAttempt(outcome, {
    attempts: delivery.roundAttempts + 1,
    roundStartTime: delivery.roundStartTime ?? began,
    now,
    random: random(),
    baseMs: retryBaseMs,
  });
  await store.recordAttempt(deliveryId, nodeId, attempt, after);
  return after.state === 'pending' ? after.nextAttemptTime : undefined;
}

/**
 * The message that was kept; made now when there is none, or when the destination has become one of another
 * kind.
 */
async function ensureMessage(ports: SendPorts, delivery: ClaimedDelivery): Promise<DeliveryMessage> {
  const { message, to } = delivery;
  const kind = 'address' in to ? 'EMAIL' : to.destination?.target.kind;
  if (message !== undefined && (kind === undefined || message.kind === (kind === 'EMAIL' ? 'mail' : kind)))
    return message;
  const made = await renderMessage(delivery, await ports.store.findSubjectFacts(delivery), ports);
  if (kind !== undefined) await ports.store.saveMessage(delivery.deliveryId, made);
  return made;
}

async function send(
  ports: SendPorts,
  { deliveryId, to }: ClaimedDelivery,
  message: DeliveryMessage,
  signal: AbortSignal,
): Promise<SendResult> {
  if ('address' in to) return sendMail(ports, deliveryId, [to.address], message);
  const { destination } = to;
  if (destination === undefined)
    return {
      outcome: { kind: 'refused' },
      error: `Destination ${to.destinationId} does not exist any more.`,
    };
  const { target } = destination;
  if (target.kind === 'EMAIL') return sendMail(ports, deliveryId, target.addresses, message);
  if (message.kind === 'mail')
    throw new Error(`Delivery ${deliveryId} has a mail for a destination that takes none.`);
  return postWebhook(ports, { deliveryId, body: message.body, destination, target }, signal);
}

async function sendMail(
  { mailer }: SendPorts,
  deliveryId: string,
  to: readonly string[],
  message: DeliveryMessage,
): Promise<SendResult> {
  if (message.kind !== 'mail') throw new Error(`Delivery ${deliveryId} has no mail for an address.`);
  return mailer.send({ deliveryId, to, message });
}
