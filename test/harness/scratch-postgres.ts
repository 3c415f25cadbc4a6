/** One scratch PostgreSQL for the whole test run; a test file takes its address with `inject('postgres')`. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { systemClock } from '../../engine/clock.ts';
import { startEmbeddedPostgres, type EmbeddedConnection } from '../../storage/embedded/embedded-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The scratch server: its superuser and first database. Each test file makes databases of its own. */
    postgres: EmbeddedConnection;
  }
}

/** Vitest calls this once before the first test file; what it returns runs after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'runyard-tests-'));
  // When the tests run as root the server runs as another user, who must get in.
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
