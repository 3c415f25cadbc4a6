/**
 * The shared driver that an attempt uses, and its session there: those of its first call. A later call, after a
 * restart of the engine, may find another driver on the cluster.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { readHead, tryParseJson } from '../../engine/read-file.ts';
import type { SparkDriver } from '../../engine/run/assignment.ts';
import { writeFileAtomically } from '../process/pinned-command.ts';

/** The driver with the id of the session, which no other task of the cluster can guess. */
export interface PinnedDriver extends SparkDriver {
  readonly sessionId: string;
}

const PinnedSchema = Type.Object({
  directory: Type.String(),
  port: Type.Integer(),
  token: Type.String(),
  applicationId: Type.String(),
  sessionId: Type.String({ pattern: '^[0-9a-f-]{36}$' }),
});

/** Returns the driver of an attempt; undefined before its first call, and for a driver of its own. */
export async function readPinnedDriver(attemptDirectory: string): Promise<PinnedDriver | undefined> {
  const stored = tryParseJson((await readHead(fileOf(attemptDirectory), 16_384)).text);
  return Check(PinnedSchema, stored) ? stored : undefined;
}

/** Returns the driver of an attempt, pinned by its first call; undefined for a driver of its own. */
export async function pinDriver(
  attemptDirectory: string,
  driver: SparkDriver | undefined,
): Promise<PinnedDriver | undefined> {
  const stored = await readPinnedDriver(attemptDirectory);
  if (stored !== undefined || driver === undefined) return stored;
  const pinned = { ...driver, sessionId: randomUUID() };
  await writeFileAtomically(fileOf(attemptDirectory), JSON.stringify(pinned));
  return pinned;
}

function fileOf(attemptDirectory: string): string {
  return join(attemptDirectory, 'spark-driver.json');
}
