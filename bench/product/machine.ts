/** The machine and the versions of a benchmark: figures without them cannot be compared. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { systemClock, toIsoTime } from '../../engine/clock.ts';

export interface Machine {
  readonly time: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  /** Revision of the sources; empty outside a repository. */
  readonly revision: string;
  readonly python: string;
  /** Mean number of runnable processes in the minute before the benchmark: other work on the machine. */
  readonly loadBefore: number;
}

const project = fileURLToPath(new URL('../..', import.meta.url));

/** @param path PATH on which python3 is looked up */
export async function describeMachine(path: string): Promise<Machine> {
  const { version }: { version: string } = JSON.parse(await readFile(`${project}package.json`, 'utf8'));
  const revision = await capture('git', ['-C', project, 'rev-parse', '--short', 'HEAD'], path);
  return {
    time: toIsoTime(systemClock.now()),
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()}`,
    node: process.version,
    revision: [version, revision].filter((part) => part !== '').join(' '),
    python: await capture('python3', ['--version'], path),
    loadBefore: loadavg()[0] ?? 0,
  };
}

export function formatMachine(machine: Machine): string {
  const { processor, cores, memoryGb, system, node, revision, python, loadBefore, time } = machine;
  return [
    `${processor}, ${cores} cores, ${memoryGb} GB, ${system}; load before: ${loadBefore.toFixed(1)}`,
    `Runyard ${revision}, Node ${node}, PostgreSQL 18 (embedded, fsync on), ${python}; ${time}`,
  ].join('\n');
}

async function capture(program: string, words: readonly string[], path: string): Promise<string> {
  return promisify(execFile)(program, [...words], { env: { PATH: path } }).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );
}
