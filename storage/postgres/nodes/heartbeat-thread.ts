/**
 * The thread that keeps a node's lease: whatever keeps the engine's own loop busy, its runs stay its own. It
 * holds a connection of its own. An engine that has not moved for a long time loses its lease all the same.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock as clock } from '../../../engine/clock.ts';
import { messageOf } from '../../../engine/errors.ts';
import { openDatabase } from '../database.ts';
import { databaseTime, renewLease } from './leases.ts';
import type { FromHeartbeat, HeartbeatOrder, ToHeartbeat } from './heartbeat-messages.ts';
import { pause } from '../../embedded/pause.ts';

/** The lease is renewed three times in its span. */
const beats = 3;
/** An engine whose own loop is silent for so many leases is stuck: others should have its runs. */
const patienceLeases = 20;

// Written by storage/postgres/nodes/heartbeat.ts.
const order: HeartbeatOrder = workerData;
const { address, nodeId, leaseMs } = order;
const say = (message: FromHeartbeat): void => parentPort?.postMessage(message, []);
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const database = openDatabase(address, silent, { connections: 1, silence: Math.max(2_000, leaseMs) });
const ended = new AbortController();
let lastSign = clock.now();
let failing = false;

parentPort?.on('message', (message: ToHeartbeat) => {
  if (message === 'alive') lastSign = clock.now();
  else ended.abort();
});

async function beat(): Promise<void> {
  if (clock.now() - lastSign > patienceLeases * leaseMs) return;
  try {
    const now = await databaseTime(database.db);
    const kept = await renewLease(database.db, nodeId, now + leaseMs, now);
    if (!kept) say({ type: 'lost' });
    if (failing) say({ type: 'back' });
    failing = false;
  } catch (error) {
    if (!failing) say({ type: 'failing', message: messageOf(error) });
    failing = true;
  }
}

while (!ended.signal.aborted) {
  await beat();
  // While it fails there is less time to lose.
  await pause(clock, leaseMs / (failing ? 4 * beats : beats), ended.signal);
}
await database.close();
parentPort?.close();
