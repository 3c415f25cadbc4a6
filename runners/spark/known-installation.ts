/**
 * The installation that a cluster uses, remembered: in memory for the next task, because to ask Java and Python for
 * their versions starts processes, and in a file for tasks that already run when an engine adopts them.
 */
import { join } from 'node:path';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import type { ComputeRequest } from '../../engine/ports/compute-providers.ts';
import { readHead, statIfExists, tryParseJson } from '../../engine/read-file.ts';
import { writeFileAtomically } from '../process/pinned-command.ts';
import type { InstalledSpark } from './spark-runtime.ts';

const InstalledSchema = Type.Object({
  home: Type.String(),
  pythonPath: Type.Array(Type.String()),
  python: Type.String(),
});

/** Installations by what they depend on. */
export type KnownInstallations = Map<string, InstalledSpark>;

/** Variables that choose Java, Python and Spark. */
const choosingVariables = ['PATH', 'JAVA_HOME', 'SPARK_HOME'] as const;

/**
 * Returns the installation of a cluster for a task.
 * @param find searches it, and installs it when it is missing
 */
export async function findKnownInstallation(
  known: KnownInstallations,
  { directory, compute, isRunning }: Pick<ComputeRequest, 'directory' | 'compute' | 'isRunning'>,
  environment: Readonly<Record<string, string>>,
  find: () => Promise<InstalledSpark | 'stopped'>,
): Promise<InstalledSpark | 'stopped'> {
  const file = join(directory, 'spark', 'installed.json');
  const stored = isRunning ? tryParseJson((await readHead(file, 65_536)).text) : undefined;
  if (Check(InstalledSchema, stored)) return stored;
  const runtime = compute.provider === 'spark' ? compute.runtime : undefined;
  const key = JSON.stringify([runtime, choosingVariables.map((name) => environment[name])]);
  const remembered = known.get(key);
  const isThere = remembered !== undefined && (await statIfExists(remembered.home)) !== undefined;
  const installed = isThere ? remembered : await find();
  if (installed === 'stopped') return installed;
  known.set(key, installed);
  if ((await readHead(file, 1)).bytes === 0) await writeFileAtomically(file, JSON.stringify(installed));
  return installed;
}
