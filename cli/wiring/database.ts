/** Opens the database of the service: the embedded PostgreSQL, or the server that DATABASE_URL names. */
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Clock } from '../../engine/clock.ts';
import { startEmbeddedPostgres } from '../../storage/embedded/embedded-postgres.ts';
import { migrate } from '../../storage/migrations/migrate.ts';
import { openDatabase, type DatabaseAddress, type OpenDatabase } from '../../storage/postgres/database.ts';
import { readInstallation } from '../../storage/postgres/installation.ts';
import type { Config } from '../config.ts';
import { bindDataDirectory } from './data-directory-checks.ts';
import type { Shutdown } from './shutdown.ts';

export interface ServiceDatabase {
  readonly address: DatabaseAddress;
  readonly database: OpenDatabase;
}

/** Opens the database, migrates it, and binds the data directory to it. */
export async function openServiceDatabase(
  config: Config,
  clock: Clock,
  log: Logger,
  shutdown: Shutdown,
): Promise<ServiceDatabase> {
  await createDataDirectory(config.dataDirectory);
  const address = await resolveDatabaseAddress(config, clock, log, shutdown);
  const database = openDatabase(address, log);
  shutdown.add(() => database.close());
  await migrate(database.db, log);
  await bindDataDirectory(config.dataDirectory, await readInstallation(database.db));
  return { address, database };
}

/**
 * Makes a new data directory traversable: as root, the user of the embedded database must pass through it.
 */
async function createDataDirectory(directory: string): Promise<void> {
  const created = await mkdir(directory, { recursive: true });
  if (created !== undefined) await chmod(directory, 0o711);
}

async function resolveDatabaseAddress(
  config: Config,
  clock: Clock,
  log: Logger,
  shutdown: Shutdown,
): Promise<DatabaseAddress> {
  if (config.databaseUrl !== undefined) return config.databaseUrl;
  const postgres = await startEmbeddedPostgres({
    directory: join(config.dataDirectory, 'postgres'),
    log,
    clock,
  });
  shutdown.add(() => postgres.stop());
  return postgres.connection;
}
