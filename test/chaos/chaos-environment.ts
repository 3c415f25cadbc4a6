/**
 * Environment of a chaos scenario: PostgreSQL, two engines behind faulty proxies, and the program of the
 * tasks.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createChaosEngine, type ChaosEngine } from './chaos-engine.ts';
import { startChaosPostgres } from './chaos-postgres.ts';
import { incrementCount, type Ledger } from './client-ledger.ts';
import { sendUntilAnswered, type ApiEndpoints } from './client-load.ts';
import type { EvidenceSources } from './collect-evidence.ts';
import { findTaskProcesses, type FaultTargets } from './fault-schedule.ts';
import { startFaultyProxy } from './faulty-proxy.ts';
import { programPath } from './job-mix.ts';

export interface ChaosEnvironment {
  readonly targets: FaultTargets;
  readonly endpoints: ApiEndpoints;
  readonly sources: EvidenceSources;
}

const leaseMs = 2_000;
const token = 'token-of-the-chaos-suite';

/** Starts PostgreSQL, one proxy per engine and the engines, and stores the program of the tasks. */
export async function startEnvironment(
  directory: string,
  ledger: Ledger,
  closers: (() => Promise<unknown>)[],
): Promise<ChaosEnvironment> {
  const dataDirectory = join(directory, 'data');
  const [runsDirectory, programRecordsDirectory] = [
    join(dataDirectory, 'runs'),
    join(dataDirectory, 'managed_fs', 'records'),
  ];
  await mkdir(programRecordsDirectory, { recursive: true });
  const postgres = await startChaosPostgres(join(directory, 'postgres'));
  closers.push(() => postgres.stop());
  const proxies = [await startFaultyProxy(postgres.socketPath), await startFaultyProxy(postgres.socketPath)];
  closers.push(() => Promise.all(proxies.map((proxy) => proxy.close())));
  const { user, password, database } = postgres.connection;
  const engines = proxies.map(({ port }, index): ChaosEngine =>
    createChaosEngine({
      name: String(index),
      drain: index === 1,
      dataDirectory,
      logFile: join(directory, `engine-${index}.log`),
      onFailedStart: () => incrementCount(ledger, 'failed engine starts'),
      environment: {
        RUNYARD_BOOTSTRAP_TOKEN: token,
        RUNYARD_LEASE_MS: String(leaseMs),
        RUNYARD_STOP_GRACE_MS: '1000',
        DATABASE_URL: `postgresql://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`,
      },
    }),
  );
  closers.push(() => killEnginesAndTasks(engines, runsDirectory));
  await Promise.all(engines.map((engine) => engine.start()));
  const endpoints: ApiEndpoints = { urls: engines.map((engine) => engine.url), token };
  const program = await readFile(new URL('./chaos-task.py', import.meta.url));
  await sendUntilAnswered(endpoints, ledger, 0, 'POST', '2.0/managed_fs/put', {
    path: programPath,
    contents: program.toString('base64'),
    overwrite: true,
  });
  return {
    targets: { engines, proxies, postgres, runsDirectory, leaseMs, ledger },
    endpoints,
    sources: { connection: postgres.connection, runsDirectory, programRecordsDirectory },
  };
}

async function killEnginesAndTasks(engines: readonly ChaosEngine[], runsDirectory: string): Promise<void> {
  await Promise.all(engines.map((engine) => engine.dispose()));
  for (const { pid } of await findTaskProcesses(runsDirectory)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has already exited.
    }
  }
}
