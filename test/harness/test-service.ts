/** Complete service inside the test process: real HTTP, its own database and its own data directory. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createConfig, type Config } from '../../cli/config.ts';
import { startService, type Service } from '../../cli/wiring/service.ts';
import { createApiClient, type ApiClient } from './api-client.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

export interface TestService extends ApiClient {
  readonly database: TestDatabase;
  readonly dataDirectory: string;
  readonly service: Service;
  /** Configuration that the service was started with. */
  readonly config: Config;
  /** Stops the service and removes its directory and its database. */
  stop(): Promise<void>;
}

/** Starts a service on a free port. @param changes settings that differ from the defaults */
export async function startTestService(changes: Partial<Config> = {}): Promise<TestService> {
  const database = await createTestDatabase();
  const dataDirectory = await mkdtemp(join(tmpdir(), 'runyard-service-'));
  const { database: name, ...reach } = database.address;
  const databaseUrl = `postgresql:///${name}?${new URLSearchParams(Object.entries(reach).map(([key, value]): [string, string] => [key, String(value)]))}`;
  const config: Config = {
    ...createConfig({ RUNYARD_PORT: '0', RUNYARD_DATA_DIR: dataDirectory, DATABASE_URL: databaseUrl }),
    stopGraceMs: 500,
    // Only tests of full disks pay for the reserve.
    diskReserveBytes: 0,
    ...changes,
  };
  // Tasks of another user must reach their directories below this one.
  if (config.taskUser !== undefined) await chmod(dataDirectory, 0o711);
  const service = await startService(config, pino({ level: 'silent' }));
  return {
    ...createApiClient(service.url, service.token),
    database,
    dataDirectory,
    service,
    config,
    async stop() {
      await service.stop();
      await database.drop();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}
