/** A connection to the embedded PostgreSQL of a data directory, beside the engine or without one. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { systemClock } from '../../engine/clock.ts';
import { databaseName } from '../../storage/embedded/data-directory.ts';
import { serverPort } from '../../storage/embedded/directory-layout.ts';
import { startEmbeddedPostgres } from '../../storage/embedded/embedded-postgres.ts';
import { migrate } from '../../storage/migrations/migrate.ts';
import { openDatabase, type OpenDatabase } from '../../storage/postgres/database.ts';

const log = pino({ level: 'silent' });

/** Connects with one connection to the PostgreSQL of a running engine. */
export async function connectBesideEngine(dataDirectory: string): Promise<OpenDatabase> {
  const directory = join(dataDirectory, 'postgres');
  return openDatabase(
    {
      host: join(directory, 'socket'),
      port: serverPort,
      user: databaseName,
      password: (await readFile(join(directory, 'password'), 'utf8')).trim(),
      database: databaseName,
    },
    log,
    { maxConnections: 1 },
  );
}

/** Runs `work` on the migrated database of a data directory without an engine. */
export async function withStoppedEngine(
  dataDirectory: string,
  work: (db: OpenDatabase['db']) => Promise<void>,
): Promise<void> {
  const server = await startEmbeddedPostgres({
    directory: join(dataDirectory, 'postgres'),
    log,
    clock: systemClock,
    volatile: true,
  });
  const { db, close } = openDatabase(server.connection, log);
  await migrate(db, log);
  await work(db);
  await close();
  await server.stop();
}
