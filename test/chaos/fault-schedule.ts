/** Fault schedule of a scenario, drawn from its seed, and the implementation of each fault. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosEngine } from './chaos-engine.ts';
import { incrementCount, type Ledger } from './client-ledger.ts';
import type { ChaosPostgres } from './chaos-postgres.ts';
import type { FaultyProxy } from './faulty-proxy.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Relative frequency of each kind of fault. */
const faultWeights = {
  'kill -9 of an engine': 10,
  'SIGTERM of an engine': 3,
  'short pause of an engine': 5,
  'long pause of an engine': 6,
  'kill -9 of PostgreSQL': 5,
  'repeated pg_terminate_backend': 6,
  'kill -9 of the program of a task': 8,
  'kill -9 of the supervisor of a task': 3,
  'kill -9 of all processes of a task': 3,
  'connections reset': 6,
  'connections slow': 4,
  'connections stalled': 5,
  'connections half-open': 5,
  'database unreachable': 5,
} as const;
export type FaultKind = keyof typeof faultWeights;
const faultKinds = Object.keys(faultWeights) as FaultKind[];

/** Targets of the faults. */
export interface FaultTargets {
  readonly engines: readonly ChaosEngine[];
  /** Proxy between each engine and the database. */
  readonly proxies: readonly FaultyProxy[];
  readonly postgres: ChaosPostgres;
  /** Parent of the attempt directories. */
  readonly runsDirectory: string;
  readonly leaseMs: number;
  readonly ledger: Ledger;
}

export interface ScheduledFault {
  readonly kind: FaultKind;
  /** Milliseconds since the start of the faults. */
  readonly at: number;
  /** Index of the engine that is hit. */
  readonly engine: number;
  /** Duration or size of the fault, 0 to 1. */
  readonly intensity: number;
}

/** Draws all faults in advance. Every kind occurs once before the weights decide. */
export function createFaultSchedule(
  random: SeededRandom,
  durationMs: number,
  meanGapMs: number,
): ScheduledFault[] {
  const count = Math.max(1, Math.floor(durationMs / meanGapMs));
  const once = [...faultKinds]
    .map((kind) => ({ kind, order: random.integer(0, 1_000_000) }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ kind }) => kind);
  return Array.from({ length: count }, (_, index): ScheduledFault => ({
    kind: once[index] ?? random.weighted(faultWeights),
    at: random.integer(0, durationMs),
    engine: random.integer(0, 1),
    intensity: random.integer(0, 1_000) / 1_000,
  })).toSorted((one, other) => one.at - other.at);
}

/** Engines whose process is being restarted or is paused; other process faults skip them. */
export type BusyEngines = Set<number>;

type FaultAction = (targets: FaultTargets, fault: ScheduledFault, busy: BusyEngines) => Promise<boolean>;

const faultActions: Readonly<Record<FaultKind, FaultAction>> = {
  'kill -9 of an engine': (targets, { engine: first, intensity }, busy) =>
    withExclusiveEngine(busy, first, async (engine) => {
      await targets.engines[engine]?.kill();
      await sleep(intensity * targets.leaseMs * 1.5);
      await targets.engines[engine]?.start();
    }),
  'SIGTERM of an engine': (targets, { engine: first, intensity }, busy) =>
    withExclusiveEngine(busy, first, async (engine) => {
      if ((await targets.engines[engine]?.terminate()) === false)
        targets.ledger.unexpectedResponses.push(
          `Engine ${engine} did not exit within a minute after SIGTERM.`,
        );
      await sleep(intensity * 500);
      await targets.engines[engine]?.start();
    }),
  'short pause of an engine': (targets, { engine: first, intensity }, busy) =>
    withExclusiveEngine(busy, first, (engine) =>
      pauseEngine(targets, engine, intensity * targets.leaseMs * 0.8),
    ),
  'long pause of an engine': (targets, { engine: first, intensity }, busy) =>
    withExclusiveEngine(busy, first, (engine) =>
      pauseEngine(targets, engine, targets.leaseMs * (1.5 + intensity * 1.5)),
    ),
  'kill -9 of PostgreSQL': async ({ postgres }, { intensity }) => {
    await postgres.kill(intensity < 0.5);
    return true;
  },
  'repeated pg_terminate_backend': async ({ postgres, ledger }, { intensity }) => {
    for (let times = 0; times <= intensity * 6; times += 1) {
      incrementCount(ledger, 'connections ended by pg_terminate_backend', await postgres.terminateBackends());
      await sleep(80);
    }
    return true;
  },
  'kill -9 of the program of a task': (targets, { intensity }) =>
    killTaskProcesses(targets, intensity, 'program'),
  'kill -9 of the supervisor of a task': (targets, { intensity }) =>
    killTaskProcesses(targets, intensity, 'supervisor'),
  'kill -9 of all processes of a task': (targets, { intensity }) =>
    killTaskProcesses(targets, intensity, 'all'),
  'connections reset': async ({ proxies }, { engine }) => {
    proxies[engine]?.resetConnections();
    return true;
  },
  'connections slow': async ({ proxies }, { engine, intensity }) => {
    proxies[engine]?.setDelay(20 + intensity * 200);
    await sleep(2_000);
    proxies[engine]?.setDelay(0);
    return true;
  },
  'connections stalled': async ({ proxies, leaseMs }, { engine, intensity }) => {
    proxies[engine]?.setStalled(true);
    await sleep(leaseMs * intensity * 3);
    proxies[engine]?.setStalled(false);
    return true;
  },
  'connections half-open': async ({ proxies }, { engine, intensity }) => {
    proxies[engine]?.halfOpenConnections(intensity * 3_000);
    return true;
  },
  'database unreachable': async ({ proxies, leaseMs }, { engine, intensity }) => {
    proxies[engine]?.setRefusing(true);
    await sleep(leaseMs * intensity * 2.5);
    proxies[engine]?.setRefusing(false);
    return true;
  },
};

/** Injects one fault and waits until it is over. A fault without a target is not counted. */
export async function injectFault(
  targets: FaultTargets,
  fault: ScheduledFault,
  busy: BusyEngines,
): Promise<void> {
  if (await faultActions[fault.kind](targets, fault, busy)) incrementCount(targets.ledger, fault.kind);
}

/** Applies a fault to the drawn engine, or to the other one while it is busy; false when both are busy. */
async function withExclusiveEngine(
  busy: BusyEngines,
  first: number,
  work: (engine: number) => Promise<void>,
): Promise<boolean> {
  const engine = [first, 1 - first].find((one) => !busy.has(one));
  if (engine === undefined) return false;
  busy.add(engine);
  try {
    await work(engine);
  } finally {
    busy.delete(engine);
  }
  return true;
}

async function pauseEngine({ engines }: FaultTargets, engine: number, milliseconds: number): Promise<void> {
  engines[engine]?.pause();
  await sleep(milliseconds);
  engines[engine]?.resume();
}

/** Living process whose environment names an attempt. */
export interface TaskProcess {
  readonly pid: number;
  readonly attempt: number;
  readonly command: string;
}

/** Returns the living processes of all attempts, including those outside their process group. */
export async function findTaskProcesses(runsDirectory: string): Promise<TaskProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid): Promise<TaskProcess[]> => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      const attemptDirectory = environment
        .split('\0')
        .find((variable) => variable.startsWith('RUNYARD_ATTEMPT_DIR='))
        ?.slice('RUNYARD_ATTEMPT_DIR='.length);
      if (attemptDirectory === undefined || dirname(attemptDirectory) !== runsDirectory) return [];
      const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
      return [{ pid: Number(pid), attempt: Number(basename(attemptDirectory)), command }];
    }),
  );
  return found.flat();
}

/** Kills processes of one attempt. Records the kill first, because the engine may end the attempt at once. */
async function killTaskProcesses(
  { runsDirectory, ledger }: FaultTargets,
  intensity: number,
  kind: 'program' | 'supervisor' | 'all',
): Promise<boolean> {
  const all = await findTaskProcesses(runsDirectory);
  const attempts = [...new Set(all.map(({ attempt }) => attempt))];
  const attempt = attempts[Math.floor(intensity * 0.999 * attempts.length)];
  const own = all.filter((one) => one.attempt === attempt);
  const targets = own.filter(
    ({ command }) => kind === 'all' || command.includes('supervise.sh') === (kind === 'supervisor'),
  );
  if (attempt === undefined || targets.length === 0) return false;
  ledger.killedAttempts.add(attempt);
  for (const { pid } of targets) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has already exited.
    }
  }
  return true;
}
