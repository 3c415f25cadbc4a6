/** The embedded PostgreSQL of a data directory. It starts while the modules of the service are loaded. */
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Clock } from '../../engine/clock.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../storage/embedded/embedded-postgres.ts';
import type { Config } from '../config.ts';

/** Starts the server; undefined when DATABASE_URL names another one. */
export async function startDatabaseServer(
  { dataDirectory, databaseUrl }: Pick<Config, 'dataDirectory' | 'databaseUrl'>,
  clock: Clock,
  log: Logger,
): Promise<EmbeddedPostgres | undefined> {
  await createDataDirectory(dataDirectory);
  if (databaseUrl !== undefined) return undefined;
  return startEmbeddedPostgres({ directory: join(dataDirectory, 'postgres'), log, clock });
}

/**
 * Makes a new data directory traversable: as root, the user of the embedded database must pass through it.
 */
async function createDataDirectory(directory: string): Promise<void> {
  const created = await mkdir(directory, { recursive: true });
  if (created !== undefined) await chmod(directory, 0o711);
}
