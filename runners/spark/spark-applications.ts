/** Finds the Spark applications of clusters and tasks by their files, and reads Spark's own pages of them. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isAlive } from '../../engine/process-identity.ts';
import { undefinedIfMissing } from '../../engine/read-file.ts';
import type { ClusterApplication, SparkApplications } from '../../engine/ports/spark-applications.ts';
import { progressOfUser } from '../../engine/run/spark-application.ts';
import { readClaim, readExitCode } from '../process/process-state.ts';
import { connectUserOf } from './connect-session.ts';
import { createEventLogReader, type EventLogReader } from './event-logs.ts';
import { readPagesPort, readPagesSecret } from './pages-access.ts';
import { readPinnedDriver } from './pinned-driver.ts';
import { eventDirectoryOf } from './spark-environment.ts';
import { createPageReader } from './spark-pages.ts';

/** Absolute parents of the directories of clusters and attempts. */
interface Directories {
  readonly clusters: string;
  readonly runs: string;
}

/** A driver: the shared one of a cluster, or that of a task. */
interface DriverDirectory {
  readonly directory: string;
  readonly runId: number | undefined;
}

/** Maximum of applications that are listed for a cluster. */
const applicationsMax = 50;

/** Records that a task on a cluster has a driver of its own. */
export async function recordOwnDriver(clusterDirectory: string, runId: number): Promise<void> {
  const tasks = tasksDirectory(join(clusterDirectory, 'spark'));
  await mkdir(tasks, { recursive: true, mode: 0o700 });
  await writeFile(join(tasks, String(runId)), '');
}

export function createSparkApplications(directories: Directories): SparkApplications {
  const logs = createEventLogReader();
  const pages = createPageReader();
  return {
    async list(clusterId) {
      const spark = sparkDirectoryOf(directories, clusterId);
      const shown = await Promise.all(
        (await listDrivers(directories, spark)).map((driver) => showApplication(logs, driver)),
      );
      return shown
        .flatMap((one) => one ?? [])
        .toSorted((one, other) => other.application.startedTime - one.application.startedTime)
        .slice(0, applicationsMax);
    },
    async findProgress(runId) {
      const attempt = join(directories.runs, String(runId));
      const driver = await readPinnedDriver(attempt);
      const application = await logs.read(eventDirectoryOf(driver?.directory ?? attempt));
      if (application === undefined) return undefined;
      const user = driver === undefined ? undefined : connectUserOf(runId);
      return { applicationId: application.applicationId, ...progressOfUser(application, user) };
    },
    async readPage(clusterId, applicationId, path, base) {
      const spark = sparkDirectoryOf(directories, clusterId);
      const secret = await readPagesSecret(spark);
      const port = await findPort(logs, await listDrivers(directories, spark), applicationId);
      return port === undefined ? undefined : pages.read({ port, secret, applicationId, path, base });
    },
  };
}

/** Returns the directories of the event logs that are kept for a cluster. */
export async function listEventDirectories(directories: Directories, clusterId: string): Promise<string[]> {
  const drivers = await listDrivers(directories, sparkDirectoryOf(directories, clusterId));
  return drivers.map(({ directory }) => eventDirectoryOf(directory));
}

/** A cluster id is free text of a job; its directory has exactly this name. */
function sparkDirectoryOf({ clusters }: Directories, clusterId: string): string {
  return join(clusters, basename(clusterId) === clusterId ? clusterId : '.', 'spark');
}

function tasksDirectory(spark: string): string {
  return join(spark, 'tasks');
}

async function listDrivers({ runs }: Directories, spark: string): Promise<DriverDirectory[]> {
  const entries = await readdir(spark, { recursive: true, withFileTypes: true }).catch(undefinedIfMissing);
  return (entries ?? []).flatMap(({ name, parentPath }): DriverDirectory[] => {
    if (name === 'driver.json') return [{ directory: parentPath, runId: undefined }];
    if (parentPath !== tasksDirectory(spark) || !/^\d+$/.test(name)) return [];
    return [{ directory: join(runs, name), runId: Number(name) }];
  });
}

async function showApplication(
  logs: EventLogReader,
  { directory, runId }: DriverDirectory,
): Promise<ClusterApplication | undefined> {
  // Read first: a driver that ends in between has ended its log.
  const here = isHere(directory, runId);
  const alive = here ? await isRunning(directory) : readExitCode(directory) === undefined;
  const application = await logs.read(eventDirectoryOf(directory));
  if (application === undefined) return undefined;
  const ended = application.endedTime !== undefined;
  return {
    application,
    runId,
    state: ended ? 'FINISHED' : alive ? 'RUNNING' : 'LOST',
    hasPages: !ended && alive && here && (await readPagesPort(directory)) !== undefined,
  };
}

async function findPort(
  logs: EventLogReader,
  drivers: readonly DriverDirectory[],
  applicationId: string,
): Promise<number | undefined> {
  for (const { directory } of drivers) {
    if (!(await isRunning(directory))) continue;
    const application = await logs.read(eventDirectoryOf(directory));
    if (application?.applicationId === applicationId) return readPagesPort(directory);
  }
  return undefined;
}

/** The pages of a driver are on the loopback interface of its machine, whose name is part of its directory. */
function isHere(directory: string, runId: number | undefined): boolean {
  return runId !== undefined || basename(dirname(directory)) === encodeURIComponent(hostname());
}

async function isRunning(directory: string): Promise<boolean> {
  const claim = readClaim(directory);
  return typeof claim === 'object' && readExitCode(directory) === undefined && (await isAlive(claim));
}
