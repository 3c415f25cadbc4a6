/**
 * The shared driver of a cluster: a Spark Connect server on the loopback interface. It is a process like those of
 * tasks: it survives the engine, and later engines find it by the files in its directory.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { codeOf } from '../../engine/errors.ts';
import { isAlive } from '../../engine/process-identity.ts';
import { readLogTail } from '../../engine/log-file.ts';
import { readHead, tryParseJson, undefinedIfMissing } from '../../engine/read-file.ts';
import type { SparkDriver } from '../../engine/run/assignment.ts';
import { grantOwnership } from '../pool/directory-ownership.ts';
import { describeExit } from '../process/describe-exit.ts';
import { startProcess } from '../process/exec.ts';
import { applyIsolation, type Isolation } from '../process/isolation.ts';
import { killMarkedProcesses, terminateGroup } from '../process/process-group.ts';
import { readClaim, readExitCode, readStop, recordStop } from '../process/process-state.ts';
import { createWakeSignal } from '../wake-signal.ts';
import { applicationIdIn } from './event-logs.ts';
import { collectExecutorLogs } from './executor-logs.ts';
import { rootCauseIn } from './root-cause.ts';
import { ensurePagesPort } from './pages-access.ts';
import { driverOptions, eventDirectoryOf } from './spark-environment.ts';
import { SparkUnavailableError } from './java-version.ts';

/** A driver to start. */
export interface DriverSpec {
  /** Parent of the directories of its instances. */
  readonly parent: string;
  /** Directory of the cluster, with which the processes are marked. */
  readonly clusterDirectory: string;
  readonly home: string;
  /** Complete environment, without the token. */
  readonly environment: Readonly<Record<string, string>>;
  readonly isolation: Isolation;
  readonly stopGraceMs: number;
  readonly logBytesMax: number;
}

const serverClass = 'org.apache.spark.sql.connect.service.SparkConnectServer';
const DriverFile = Type.Object({ token: Type.String({ minLength: 1 }) });
const startLogBytes = 2 ** 20;
const pollMs = 100;

/** Returns the driver that runs, or is starting; undefined when there is none. */
async function findInstance(parent: string): Promise<string | undefined> {
  const directory = join(parent, String(await lastInstanceOf(parent)));
  const claim = await readClaim(directory);
  if (claim === 'prevented' || (await readExitCode(directory)) !== undefined) return undefined;
  if (claim === undefined || claim === 'unfilled') return undefined;
  return (await isAlive(claim)) ? directory : undefined;
}

async function lastInstanceOf(parent: string): Promise<number> {
  const names = (await readdir(parent).catch(undefinedIfMissing)) ?? [];
  return Math.max(0, ...names.map(Number).filter(Number.isSafeInteger));
}

/** Returns the driver that accepts sessions; undefined when there is none. Starts nothing. */
export async function findDriver(parent: string): Promise<SparkDriver | undefined> {
  const directory = await findInstance(parent);
  return directory === undefined ? undefined : readDriver(directory);
}

/**
 * Returns the driver of a cluster, started now or before, once it accepts sessions.
 * @param onStart called before a start
 * @throws SparkUnavailableError when it ends before that; the message has its cause
 */
export async function ensureDriver(
  spec: DriverSpec,
  signal: AbortSignal,
  onStart: () => Promise<void>,
): Promise<SparkDriver | 'stopped'> {
  let directory = await findInstance(spec.parent);
  if (directory === undefined) {
    await onStart();
    directory = join(spec.parent, String((await lastInstanceOf(spec.parent)) + 1));
    await startDriver(spec, directory);
  }
  for (;;) {
    const driver = await readDriver(directory);
    if (driver !== undefined) return driver;
    const end = await readDriverEnd(directory);
    if (end !== undefined)
      throw new SparkUnavailableError(`The Spark driver of the cluster did not start: ${end}`);
    if (signal.aborted) return 'stopped';
    const wake = createWakeSignal();
    signal.addEventListener('abort', wake.wake);
    await wake.wait(pollMs);
    signal.removeEventListener('abort', wake.wake);
  }
}

/** Starts the process. Its end is seen by the tasks that use it, and the next task starts another one. */
async function startDriver(spec: DriverSpec, directory: string): Promise<void> {
  const { clusterDirectory, isolation, stopGraceMs, logBytesMax, home } = spec;
  const temporary = join(directory, 'tmp');
  const cwd = join(directory, 'work');
  for (const made of [temporary, cwd, eventDirectoryOf(directory)]) await mkdir(made, { recursive: true });
  const token = await chooseToken(join(directory, 'driver.json'));
  if (isolation.user !== undefined) await grantOwnership(directory, isolation.user);
  const program = {
    argv: [
      join(home, 'bin', 'spark-submit'),
      ...driverOptions(directory, await ensurePagesPort(directory)),
      '--class',
      serverClass,
    ] as const,
    env: {
      ...spec.environment,
      TMPDIR: temporary,
      SPARK_LOCAL_DIRS: temporary,
      SPARK_CONNECT_AUTHENTICATE_TOKEN: token,
    },
  };
  await startProcess({
    directory,
    attemptDirectory: clusterDirectory,
    cwd,
    stopGraceMs,
    logBytesMax,
    ...applyIsolation(isolation, program, { temporary, cwd, writable: [clusterDirectory] }),
  });
}

/** Returns the token of a driver. Of engines that start the same driver, the first one chooses it. */
async function chooseToken(file: string): Promise<string> {
  const token = randomBytes(32).toString('hex');
  try {
    await writeFile(file, JSON.stringify({ token }), { flag: 'wx', mode: 0o600 });
    return token;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    const stored = tryParseJson((await readHead(file, 4_096)).text);
    if (Check(DriverFile, stored)) return stored.token;
    throw new Error(`${file} is not the file of a driver.`, { cause: error });
  }
}

/** Returns a driver that accepts sessions, by what it has logged; undefined before that. */
async function readDriver(directory: string): Promise<SparkDriver | undefined> {
  const log = (await readHead(join(directory, 'stderr'), startLogBytes)).text;
  const [, port] = /Spark Connect server started at: \S+:(\d+)/.exec(log) ?? [];
  const applicationId = await applicationIdIn(eventDirectoryOf(directory));
  const stored = tryParseJson((await readHead(join(directory, 'driver.json'), 4_096)).text);
  if (port === undefined || applicationId === undefined || !Check(DriverFile, stored)) return undefined;
  return { directory, port: Number(port), token: stored.token, applicationId };
}

/** Returns why a driver is gone, as a sentence; undefined while it runs or starts. */
export async function readDriverEnd(directory: string): Promise<string | undefined> {
  const claim = await readClaim(directory);
  const isGone = typeof claim === 'object' && !(await isAlive(claim));
  const code = await readExitCode(directory);
  if (code === undefined && !isGone) return undefined;
  if ((await readStop(directory)) !== undefined) return 'it was stopped with its cluster.';
  const how =
    code === undefined ? 'its process is gone without an exit code' : `it ended with ${describeExit(code)}`;
  // A process that was killed has logged no reason.
  const isKilled = code === undefined || code > 128;
  const cause = isKilled
    ? undefined
    : rootCauseIn(await readLogTail(join(directory, 'stderr'), startLogBytes));
  return `${how}${cause === undefined ? '' : `: ${cause.error}`}.`;
}

/** Ends all drivers of a cluster. Resolves when none of their processes remains. */
export async function stopDrivers(clusterDirectory: string, graceMs: number): Promise<void> {
  const spark = join(clusterDirectory, 'spark');
  const wake = createWakeSignal();
  for (const entry of await readdir(spark, { recursive: true, withFileTypes: true })) {
    if (entry.name !== 'driver.json') continue;
    const claim = await readClaim(entry.parentPath);
    if (typeof claim !== 'object' || !(await isAlive(claim))) continue;
    await collectExecutorLogs(entry.parentPath);
    await recordStop(entry.parentPath, '');
    await terminateGroup(claim.pid, clusterDirectory, graceMs, wake);
  }
  await killMarkedProcesses(clusterDirectory, wake);
}
