/** Scratch PostgreSQL of the test run. A test file gets its address with `inject('postgres')`. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { systemClock } from '../../engine/clock.ts';
import { startEmbeddedPostgres, type EmbeddedConnection } from '../../storage/embedded/embedded-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Superuser connection to the scratch server. Each test file creates its own databases. */
    postgres: EmbeddedConnection;
  }
}

/** Starts the server before the first test file; the returned function stops it after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'runyard-tests-'));
  // As root, the server runs as another user, which must be able to enter the directory.
  await chmod(directory, 0o711);
  const server = await startEmbeddedPostgres({
    directory,
    log: pino({ level: 'silent' }),
    clock: systemClock,
    volatile: true,
  });
  project.provide('postgres', server.connection);
  return async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
}
