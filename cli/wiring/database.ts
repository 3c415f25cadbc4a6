/** Opens the database of the service: the embedded PostgreSQL, or the server that DATABASE_URL names. */
import type { Logger } from 'pino';
import type { EmbeddedPostgres } from '../../storage/embedded/embedded-postgres.ts';
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

/**
 * Opens the database, migrates it, and binds the data directory to it.
 * @param server that of the data directory; stopped by the shutdown
 * @throws Error when the server did not start
 */
export async function openServiceDatabase(
  config: Config,
  server: Promise<EmbeddedPostgres | undefined>,
  log: Logger,
  shutdown: Shutdown,
): Promise<ServiceDatabase> {
  const address = config.databaseUrl ?? (await server)?.connection;
  if (address === undefined) throw new Error('There is no database: neither DATABASE_URL nor a server.');
  const database = openDatabase(address, log);
  shutdown.add(() => database.close());
  await migrate(database.db, log);
  await bindDataDirectory(config.dataDirectory, await readInstallation(database.db));
  return { address, database };
}
