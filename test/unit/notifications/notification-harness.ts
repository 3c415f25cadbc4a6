/**
 * Harness of delivery tests: the real store, mailer and listener on a database of its own, with short delays.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { systemClock } from '../../../engine/clock.ts';
import type { DeliveryRecord } from '../../../engine/notification/delivery.ts';
import type { DestinationTarget } from '../../../engine/notification/destination.ts';
import type { RunNotification } from '../../../engine/run/notification.ts';
import { generateSigningSecret } from '../../../engine/notification/signature.ts';
import { createOutboxDispatcher, type DispatcherPorts } from '../../../notifications/outbox-dispatcher.ts';
import { createMailer, type MailSettings } from '../../../notifications/mailer.ts';
import { createDeliveryStore } from '../../../storage/postgres/deliveries/deliveries.ts';
import { createDeliveryLog } from '../../../storage/postgres/deliveries/delivery-log.ts';
import { createDestinationStore } from '../../../storage/postgres/deliveries/destinations.ts';
import { listenForOutbox } from '../../../storage/postgres/outbox/outbox-notify.ts';
import { insertOutboxEvents } from '../../../storage/postgres/outbox/outbox.ts';
import { eventually } from '../../harness/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/test-database.ts';

export interface NotificationHarness {
  readonly database: TestDatabase;
  readonly directory: string;
  readonly log: ReturnType<typeof createDeliveryLog>;
  readonly destinations: ReturnType<typeof createDestinationStore>;
  /** Starts the outbox dispatcher of an engine. */
  startEngine(
    changes?: Partial<DispatcherPorts>,
    mail?: Partial<MailSettings>,
  ): Promise<{ readonly nodeId: string; stop(): Promise<void> }>;
  createDestination(target: DestinationTarget): Promise<{ readonly id: string; readonly secret: string }>;
  enqueueNotifications(
    ...notifications: (Partial<RunNotification> & Pick<RunNotification, 'channel' | 'recipient'>)[]
  ): Promise<void>;
  /** Waits until all outbox events are dispatched and `holds` is true of the deliveries, newest first. */
  waitForDeliveries(
    holds: (deliveries: readonly DeliveryRecord[]) => boolean,
  ): Promise<readonly DeliveryRecord[]>;
  close(): Promise<void>;
}

export async function startNotificationHarness(): Promise<NotificationHarness> {
  const database = await createTestDatabase();
  const directory = await mkdtemp(join(tmpdir(), 'runyard-notifications-'));
  const { db, address } = database;
  const silent = pino({ level: 'silent' });
  const log = createDeliveryLog(db);
  const destinations = createDestinationStore(db);
  const running = new Set<() => Promise<void>>();
  const allDeliveries = {
    jobId: undefined,
    runId: undefined,
    destinationId: undefined,
    state: undefined,
    visibleTo: undefined,
    before: undefined,
    limit: 100_000,
  };
  return {
    database,
    directory,
    log,
    destinations,
    async startEngine(changes = {}, mail = {}) {
      const nodeId = randomUUID();
      await db
        .insertInto('nodes')
        .values({
          node_id: nodeId,
          host: 'h',
          boot_id: 'b',
          pid: 1,
          process_start: 's',
          directory_id: 'd',
          joined_time: 1,
          lease_until: Number.MAX_SAFE_INTEGER,
        })
        .execute();
      const dispatcher = createOutboxDispatcher({
        store: createDeliveryStore(db, systemClock, silent),
        mailer: createMailer({
          smtpUrl: undefined,
          from: 'Runyard <runyard@example.org>',
          perSecond: 1_000,
          directory,
          ...mail,
        }),
        site: { publicUrl: () => 'http://runyard.test', workspaceId: '17' },
        logTail: async (runId) => `last words of ${runId}`,
        allowPrivate: true,
        timeoutMs: 300,
        retryBaseMs: 20,
        random: () => 0,
        nodeId,
        clock: systemClock,
        log: silent,
        ...changes,
      });
      const listener = listenForOutbox({ address, clock: systemClock, log: silent }, dispatcher.wake);
      const stop = async (): Promise<void> => {
        if (!running.delete(stop)) return;
        await listener.close();
        await dispatcher.close();
        await db.updateTable('nodes').set({ lease_until: 0 }).where('node_id', '=', nodeId).execute();
      };
      running.add(stop);
      return { nodeId, stop };
    },
    async createDestination(target) {
      const secret = generateSigningSecret();
      const id = await destinations.create(
        {
          displayName: 'd',
          target,
          secrets: target.kind === 'WEBHOOK' ? { current: secret } : undefined,
          now: 1,
        },
        1_000,
      );
      return { id, secret };
    },
    async enqueueNotifications(...notifications) {
      await db.transaction().execute((transaction) =>
        insertOutboxEvents(
          transaction,
          notifications.map((notification) => ({
            event: 'on_success',
            jobId: 41,
            runId: undefined,
            taskKey: undefined,
            createdTime: 1_770_000_000_000,
            ...notification,
          })),
        ),
      );
    },
    async waitForDeliveries(holds) {
      const readDeliveries = async () => {
        const { count } = await db
          .selectFrom('outbox')
          .select((row) => row.fn.countAll<number>().as('count'))
          .where('dispatched_time', 'is', null)
          .executeTakeFirstOrThrow();
        return { undispatched: count, deliveries: count > 0 ? [] : await log.list(allDeliveries) };
      };
      const last = await eventually(readDeliveries, {
        until: ({ undispatched, deliveries }) => undispatched === 0 && holds(deliveries),
      });
      return last.deliveries;
    },
    async close() {
      for (const stop of running) await stop();
      await database.drop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
