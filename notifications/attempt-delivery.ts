/** One delivery attempt: renders and stores the message, sends it, and records the outcome. */
import { toIsoTime, type Clock } from '../engine/clock.ts';
import type { ClaimedDelivery, DeliveryAttempt, DeliveryMessage } from '../engine/notification/delivery.ts';
import { decideNextAttempt, type AttemptDecision } from '../engine/notification/delivery-retry.ts';
import type { Log } from '../engine/ports/log.ts';
import type { DeliveryStore } from '../engine/ports/notifications.ts';
import type { Mailer } from './mailer.ts';
import { renderMessage, type MessagePorts } from './render-message.ts';
import type { SendResult } from './send-result.ts';
import { postWebhook, type WebhookPorts } from './webhook.ts';

export interface SendPorts extends MessagePorts, Omit<WebhookPorts, 'clock'> {
  readonly store: DeliveryStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly nodeId: string;
  readonly mailer: Mailer;
  /** Delay after the first failed attempt, in ms. */
  readonly retryBaseMs: number;
  /** Returns a random number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

/** Returns the time of the next attempt (epoch ms), if there is one. An aborted attempt is not recorded. */
export async function attemptDelivery(
  ports: SendPorts,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { store, clock, nodeId, random, retryBaseMs } = ports;
  const { deliveryId } = delivery;
  const message = await ensureMessage(ports, delivery);
  if (signal.aborted) return undefined;
  const startTime = clock.now();
  const { outcome, ...result } = await send(ports, delivery, message, signal);
  if (signal.aborted && outcome.kind !== 'delivered') return undefined;
  const now = Math.max(startTime, clock.now());
  const attempt: DeliveryAttempt = { time: startTime, durationMs: now - startTime, ...result };
  const after = decideNextAttempt(outcome, {
    attempts: delivery.roundAttempts + 1,
    roundStartTime: delivery.roundStartTime ?? startTime,
    now,
    random: random(),
    baseMs: retryBaseMs,
  });
  await store.recordAttempt(deliveryId, nodeId, attempt, after);
  if (after.state !== 'delivered') warnOfFailure(ports, delivery, result, after);
  return after.state === 'pending' ? after.nextAttemptTime : undefined;
}

/** Logs why a message was not delivered, and when the next attempt is. */
function warnOfFailure(
  { log }: Pick<SendPorts, 'log'>,
  { deliveryId, runId, to }: ClaimedDelivery,
  { status, response, error }: Omit<SendResult, 'outcome'>,
  after: AttemptDecision,
): void {
  const reason = error ?? response ?? `the receiver answered ${status}`;
  const recipient =
    'address' in to
      ? `Mail to ${to.address}`
      : `Message to ${to.destination?.displayName ?? to.destinationId}`;
  const next =
    after.state === 'pending'
      ? `Next attempt ${toIsoTime(after.nextAttemptTime)}.`
      : 'There is no further attempt; send it again with POST notifications/deliveries/redeliver.';
  const setting = 'address' in to ? ' (RUNYARD_SMTP_URL)' : '';
  log.warn(
    { delivery_id: deliveryId, run_id: runId },
    `${recipient} not delivered: ${reason.replace(/\.$/, '')}${setting}. ${next}`,
  );
}

/** Returns the stored message. Renders it when there is none, or when the kind of the destination changed. */
async function ensureMessage(ports: SendPorts, delivery: ClaimedDelivery): Promise<DeliveryMessage> {
  const { message, to } = delivery;
  const kind = 'address' in to ? 'EMAIL' : to.destination?.target.kind;
  if (message !== undefined && (kind === undefined || message.kind === (kind === 'EMAIL' ? 'mail' : kind)))
    return message;
  const rendered = await renderMessage(delivery, await ports.store.findSubjectFacts(delivery), ports);
  if (kind !== undefined) await ports.store.saveMessage(delivery.deliveryId, rendered);
  return rendered;
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
    throw new Error(`Delivery ${deliveryId} has an e-mail message for a ${target.kind} destination.`);
  return postWebhook(ports, { deliveryId, body: message.body, destination, target }, signal);
}

async function sendMail(
  { mailer }: SendPorts,
  deliveryId: string,
  to: readonly string[],
  message: DeliveryMessage,
): Promise<SendResult> {
  if (message.kind !== 'mail') throw new Error(`Delivery ${deliveryId} has no e-mail message.`);
  return mailer.send({ deliveryId, to, message });
}
