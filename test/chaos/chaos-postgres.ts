/** Embedded PostgreSQL that the engines share; the suite kills it, and its supervisor restarts it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { pino } from 'pino';
import { systemClock } from '../../engine/clock.ts';
import { startEmbeddedPostgres, type EmbeddedConnection } from '../../storage/embedded/embedded-postgres.ts';

export interface ChaosPostgres {
  readonly connection: EmbeddedConnection;
  readonly socketPath: string;
  /** Sends SIGKILL to the postmaster, and to its children on request. The server restarts by itself. */
  kill(includeChildren: boolean): Promise<void>;
  /** Ends every connection of the engines and returns their number; 0 when the server is unreachable. */
  terminateBackends(): Promise<number>;
  stop(): Promise<void>;
}

/** @param directory empty directory that other users may enter */
export async function startChaosPostgres(directory: string): Promise<ChaosPostgres> {
  // Durability stays on: data that the server loses in a kill would look like a defect of the engine.
  const server = await startEmbeddedPostgres({
    directory,
    log: pino({ level: 'silent' }),
    clock: systemClock,
  });
  const { connection } = server;
  return {
    connection,
    socketPath: join(connection.host, `.s.PGSQL.${connection.port}`),
    async kill(includeChildren) {
      const postmaster = await readPostmasterPid(directory);
      if (postmaster === undefined) return;
      const pids = [postmaster, ...(includeChildren ? await childPidsOf(postmaster) : [])];
      for (const pid of pids) killProcess(pid);
    },
    terminateBackends: () => terminateBackends(connection),
    stop: () => server.stop(),
  };
}

async function terminateBackends(connection: EmbeddedConnection): Promise<number> {
  const client = new Client({ ...connection, application_name: 'chaos', connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rowCount } = await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'runyard' and pid <> pg_backend_pid()`,
    );
    return rowCount ?? 0;
  } catch {
    return 0;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Returns the id of the postmaster; undefined while the server starts. */
async function readPostmasterPid(directory: string): Promise<number | undefined> {
  const base = (await readFile(join(directory, 'location'), 'utf8').catch(() => directory)).trim();
  const text = await readFile(join(base, 'data', 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  const name = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  // After a kill the file still contains the id of the process that is gone.
  return name.includes('postgres') ? pid : undefined;
}

async function childPidsOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text
    .split(' ')
    .filter((child) => child !== '')
    .map(Number);
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already exited.
  }
}
