/**
 * Thread that renews a node's lease on a connection of its own, so that an engine with a busy event loop
 * keeps its runs. An engine whose event loop is blocked for a long time loses its lease.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock as clock } from '../../../engine/clock.ts';
import { messageOf } from '../../../engine/errors.ts';
import { openDatabase } from '../database.ts';
import { databaseTime, renewLease } from './leases.ts';
import type { HeartbeatEvent, HeartbeatOptions, HeartbeatCommand } from './heartbeat-messages.ts';
import { sleep } from '../../embedded/sleep.ts';

/** Renewals within the duration of one lease. */
const renewalsPerLease = 3;
/**
 * After this many leases without a sign of the engine's event loop, renewal stops and others adopt its runs.
 */
const stuckAfterLeases = 20;

// Passed by heartbeat.ts.
const options: HeartbeatOptions = workerData;
const { address, nodeId, leaseMs } = options;
const postEvent = (message: HeartbeatEvent): void => parentPort?.postMessage(message, []);
const silentLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

const database = openDatabase(address, silentLog, {
  maxConnections: 1,
  socketTimeoutMs: Math.max(2_000, leaseMs),
});
const ended = new AbortController();
let lastAliveTime = clock.now();
let failing = false;

parentPort?.on('message', (message: HeartbeatCommand) => {
  if (message === 'alive') lastAliveTime = clock.now();
  else ended.abort();
});

async function renew(): Promise<void> {
  if (clock.now() - lastAliveTime > stuckAfterLeases * leaseMs) return;
  try {
    const now = await databaseTime(database.db);
    const kept = await renewLease(database.db, nodeId, now + leaseMs, now);
    if (!kept) postEvent({ type: 'lost' });
    if (failing) postEvent({ type: 'back' });
    failing = false;
  } catch (error) {
    if (!failing) postEvent({ type: 'failing', message: messageOf(error) });
    failing = true;
  }
}

while (!ended.signal.aborted) {
  await renew();
  // Retry more often after a failure, before the lease ends.
  await sleep(clock, leaseMs / (failing ? 4 * renewalsPerLease : renewalsPerLease), ended.signal);
}
await database.close();
parentPort?.close();
