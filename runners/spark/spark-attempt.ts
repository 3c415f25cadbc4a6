/** Spark of one attempt: its variables, the watch of the driver that it uses, and the release of its session. */
import { mkdir } from 'node:fs/promises';
import type { SparkDriver, TaskAssignment } from '../../engine/run/assignment.ts';
import type { Exit } from '../contract.ts';
import { createWakeSignal } from '../wake-signal.ts';
import { connectUserOf, releaseSession, remoteUrlOf, type ConnectSession } from './connect-session.ts';
import { collectExecutorLogs } from './executor-logs.ts';
import { ensurePagesPort } from './pages-access.ts';
import { pinDriver } from './pinned-driver.ts';
import { recordOwnDriver } from './spark-applications.ts';
import { readDriverEnd } from './spark-driver.ts';
import { eventDirectoryOf, ownDriverVariables, sparkVariables } from './spark-environment.ts';

export interface SparkAttempt {
  /** Variables for the processes of the attempt. */
  readonly variables: Readonly<Record<string, string>>;
  /** Aborted when the driver is gone, with the explanation as reason. */
  readonly driverLost: AbortSignal | undefined;
  /** Explains a failure by the end of the driver, if it is gone. */
  explain(exit: Exit): Promise<Exit>;
  /** Releases the session, which stops what Spark still computes for it. */
  close(): Promise<void>;
}

const watchMs = 500;

/** Prepares the Spark of an attempt; undefined without Spark. */
export async function openSparkAttempt(
  { cluster, runId, directory }: TaskAssignment,
  environment: Readonly<Record<string, string>>,
  temporary: string,
): Promise<SparkAttempt | undefined> {
  const spark = cluster?.spark;
  if (cluster === undefined || spark === undefined) return undefined;
  await mkdir(eventDirectoryOf(directory), { recursive: true });
  const driver = await pinDriver(directory, spark.driver);
  const variables = sparkVariables(spark, environment);
  const stores = { RUNYARD_SPARK_STORES: JSON.stringify(spark.stores) };
  if (driver === undefined) {
    await recordOwnDriver(cluster.directory, runId);
    const pagesPort = await ensurePagesPort(directory);
    return {
      variables: { ...variables, ...stores, ...ownDriverVariables({ directory, temporary, pagesPort }) },
      driverLost: undefined,
      explain: (exit) => Promise.resolve(exit),
      close: () => collectExecutorLogs(directory),
    };
  }
  const session = { sessionId: driver.sessionId, userId: connectUserOf(runId) };
  const all = { ...variables, ...stores, SPARK_REMOTE: remoteUrlOf(driver, session) };
  return watchedAttempt(all, driver, session, cluster.clusterId);
}

function watchedAttempt(
  variables: Readonly<Record<string, string>>,
  driver: SparkDriver,
  session: ConnectSession,
  clusterId: string,
): SparkAttempt {
  const lost = new AbortController();
  const wake = createWakeSignal();
  const closing = new AbortController();
  const findLoss = async (): Promise<string | undefined> => {
    const end = await readDriverEnd(driver.directory);
    if (end === undefined) return undefined;
    return (
      `The Spark driver of cluster ${clusterId} was lost: ${end} What it computed for the task is lost with it; ` +
      'the next task on the cluster starts another driver.'
    );
  };
  const watch = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const loss = await findLoss();
      if (loss !== undefined) return lost.abort(loss);
      await wake.wait(watchMs);
    }
  };
  void watch().catch(() => undefined);
  return {
    variables,
    driverLost: lost.signal,
    async explain(exit) {
      if (exit.kind !== 'exited' || exit.code === 0) return exit;
      const loss = await findLoss();
      return loss === undefined ? exit : { kind: 'flooded', message: loss };
    },
    async close() {
      closing.abort();
      wake.wake();
      if ((await readDriverEnd(driver.directory)) === undefined) await releaseSession(driver, session);
    },
  };
}
