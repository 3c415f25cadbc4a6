/** `runyard spark install`: installs PySpark before a cluster needs it. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../engine/clock.ts';
import { sparkRuntimeOf } from '../../engine/cluster/compute.ts';
import { userVariables } from '../../runners/process/task-environment.ts';
import { noIsolation } from '../../runners/process/isolation.ts';
import { requireJava, SparkUnavailableError } from '../../runners/spark/java-version.ts';
import { ensureSpark } from '../../runners/spark/spark-runtime.ts';
import { readConfig } from '../config.ts';
import { sparkDirectory } from '../wiring/cache-directories.ts';
import { printLine } from './print-line.ts';

export interface SparkInstallOptions {
  readonly sparkVersion: string;
}

/** Installs PySpark and prints where. Resolves with 1, and prints why, when it cannot be installed. */
export async function installSpark({ sparkVersion }: SparkInstallOptions): Promise<number> {
  const config = readConfig();
  const root = sparkDirectory(config);
  const runtime = sparkRuntimeOf(sparkVersion, config.clusters);
  await mkdir(root, { recursive: true });
  const environment = {
    ...config.taskEnvironment,
    ...userVariables(undefined, join(root, 'home')),
    ...config.libraryEnvironment,
  };
  try {
    await requireJava(environment, noIsolation);
    const installed = await ensureSpark(
      runtime,
      {
        root,
        environment,
        isolation: noIsolation,
        markerDirectory: root,
        stopGraceMs: config.stopGraceMs,
        now: systemClock.now,
        signal: new AbortController().signal,
      },
      (what) => Promise.resolve(printLine(`Installing ${what} into ${root} ...`)),
    );
    if (installed === 'stopped') return 1;
    printLine(`Spark is at ${installed.home}.`);
    return 0;
  } catch (error) {
    if (!(error instanceof SparkUnavailableError)) throw error;
    printLine(error.message);
    return 1;
  }
}
