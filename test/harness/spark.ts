/**
 * Spark of the tests: PySpark, installed once (a download of 450 MB) into a cache outside the checkout, which all
 * later runs share. Tests that need it run with RUNYARD_TEST_SPARK=1, because they take longer than all others
 * together. They are left out, with the reason in their name and on stderr, without that variable, and where
 * Java, Python or both the cached PySpark and the package index are missing.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConfig } from '../../cli/config.ts';
import { defaultPySpark } from '../../engine/cluster/compute.ts';
import { systemClock } from '../../engine/clock.ts';
import { defaultInventory, type Inventory } from '../../engine/cluster/inventory.ts';
import { messageOf } from '../../engine/errors.ts';
import { noIsolation } from '../../runners/process/isolation.ts';
import { requireJava } from '../../runners/spark/java-version.ts';
import { ensureSpark, findSpark, type InstalledSpark } from '../../runners/spark/spark-runtime.ts';

/** Directory of the installed distributions; RUNYARD_TEST_SPARK_DIR overrides it. */
export const sparkCacheDirectory =
  process.env['RUNYARD_TEST_SPARK_DIR'] ??
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'runyard', 'spark');

const pipVariables = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    name.startsWith('PIP_') && value !== undefined ? [[name, value]] : [],
  ),
);

/** Version of PySpark -> its installation. */
const found = new Map<string, Promise<InstalledSpark | { readonly missing: string }>>();

/** Newest version of PySpark that Delta is built for, and its Maven package. */
export const deltaPySpark = '4.1.4';
export const deltaPackage = 'io.delta:delta-spark_2.13:4.3.0';

/** Returns PySpark, installed if necessary; `missing` says why it cannot be had. */
export function findTestSpark(
  version: string = defaultPySpark,
): Promise<InstalledSpark | { readonly missing: string }> {
  const known = found.get(version);
  if (known !== undefined) return known;
  const isOff = process.env['RUNYARD_TEST_SPARK'] !== '1';
  const finding = (isOff ? leaveOut() : install(version)).catch((error: unknown) => ({
    missing: messageOf(error),
  }));
  found.set(version, finding);
  return finding;
}

async function leaveOut(): Promise<{ readonly missing: string }> {
  return { missing: 'RUNYARD_TEST_SPARK=1 runs them; it installs PySpark once.' };
}

/** Asks the package index for PySpark, with the settings of pip. @throws Error when it does not answer */
async function requireIndex(version: string, environment: Readonly<Record<string, string>>): Promise<void> {
  const ask = ['-m', 'pip', 'index', 'versions', 'pyspark', '--timeout', '3', '--retries', '0'];
  const answer = await promisify(execFile)('python3', ask, { env: environment, timeout: 15_000 }).then(
    ({ stdout }) => stdout,
    () => '',
  );
  if (answer.includes(version)) return;
  throw new Error(
    `PySpark ${version} is not in ${sparkCacheDirectory}, and the package index does not offer it.`,
  );
}

async function install(version: string): Promise<InstalledSpark | { readonly missing: string }> {
  const { taskEnvironment } = createConfig({});
  const markerDirectory = await mkdtemp(join(tmpdir(), 'runyard-spark-install-'));
  try {
    await requireJava(taskEnvironment, noIsolation);
    const { SPARK_HOME: _home, ...environment } = { ...taskEnvironment, ...pipVariables };
    const where = { root: sparkCacheDirectory, environment, isolation: noIsolation };
    if ((await findSpark({ pyspark: version }, where)) === undefined)
      await requireIndex(version, environment);
    const installed = await ensureSpark(
      { pyspark: version },
      {
        ...where,
        markerDirectory,
        stopGraceMs: 1_000,
        now: systemClock.now,
        signal: new AbortController().signal,
      },
      async (what) => print(`Installing ${what} into ${sparkCacheDirectory} for the tests ...`),
    );
    if (installed === 'stopped') throw new Error('The installation of PySpark was stopped.');
    return installed;
  } finally {
    await rm(markerDirectory, { recursive: true, force: true });
  }
}

/** Title of a group of tests, with the reason where they are left out. */
export function sparkTitle(title: string, spark: InstalledSpark | { readonly missing: string }): string {
  if (!('missing' in spark)) return title;
  print(`Tests left out: ${title}. ${spark.missing}`);
  return `${title} (left out: ${spark.missing})`;
}

/** Inventory of a service whose clusters compute on a Spark master, as small as the tests allow. */
function sparkInventory(master: string): Inventory {
  return {
    ...defaultInventory,
    sparkMaster: master,
    nodeTypes: {
      ...defaultInventory.nodeTypes,
      tiny: { memory_mb: 1_024, num_cores: 1, category: 'Test', description: 'tiny' },
    },
    sparkRuntimes: {
      default: {
        pyspark: defaultPySpark,
        conf: {
          'spark.sql.shuffle.partitions': '1',
          // Short-lived drivers gain nothing from the second compiler.
          'spark.driver.extraJavaOptions': '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC',
        },
      },
    },
  };
}

/** Settings of a service with Spark. */
export function sparkSettings(master: string) {
  const { taskEnvironment } = createConfig({});
  const { SPARK_HOME: _home, ...environment } = taskEnvironment;
  return {
    clusters: sparkInventory(master),
    sparkCacheDirectory,
    libraryEnvironment: pipVariables,
    taskEnvironment: { ...environment, RUNYARD_NOTEBOOK_SHELL: 'plain' },
  };
}

/** Prints a line for the person who runs the tests. */
function print(line: string): void {
  process.stderr.write(`${line}\n`);
}
