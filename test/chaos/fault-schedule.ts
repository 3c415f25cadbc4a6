/** The faults of a scene, drawn from its seed, and how each is done. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { ChaosEngine } from './chaos-engine.ts';
import { incrementCount, type Ledger } from './client-ledger.ts';
import type { ChaosPostgres } from './chaos-postgres.ts';
import type { FaultyProxy } from './faulty-proxy.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Every kind of fault -> how often it is drawn. */
const faultWeights = {
  'kill -9 of an engine': 10,
  'SIGTERM of an engine': 3,
  'short pause of an engine': 5,
  'long pause of an engine': 6,
  'kill -9 of PostgreSQL': 5,
  'pg_terminate_backend storm': 6,
  'kill -9 of the program of a task': 8,
  'kill -9 of the supervisor of a task': 3,
  'kill -9 of all processes of a task': 3,
  'connections cut': 6,
  'connections slow': 4,
  'connections standing still': 5,
  'connections half-open': 5,
  'database out of reach': 5,
} as const;
export type FaultKind = keyof typeof faultWeights;
const faultKinds = Object.keys(faultWeights) as FaultKind[];

/** What faults are done to. */
export interface FaultTargets {
  readonly engines: readonly ChaosEngine[];
  /** The way of each engine to the database. */
  readonly proxies: readonly FaultyProxy[];
  readonly postgres: ChaosPostgres;
  /** The parent of the attempts' directories. */
  readonly runsDirectory: string;
  readonly leaseMs: number;
  readonly ledger: Ledger;
}

export interface ScheduledFault {
  readonly kind: FaultKind;
  /** Milliseconds since the begin of the storm. */
  readonly at: number;
  /** Which of the engines it is about. */
  readonly engine: number;
  /** How long it lasts, or what else it needs to be drawn: 0 to 1. */
  readonly intensity: number;
}

/** Every draw is made here, before the storm; each kind comes once before the weights decide. */
export function createFaultSchedule(
  random: SeededRandom,
  durationMs: number,
  meanGapMs: number,
): ScheduledFault[] {
  const number = Math.max(1, Math.floor(durationMs / meanGapMs));
  const once = [...faultKinds]
    .map((kind) => ({ kind, order: random.integer(0, 1_000_000) }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ kind }) => kind);
  return Array.from({ length: number }, (_, index): ScheduledFault => ({
    kind: once[index] ?? random.weighted(faultWeights),
    at: random.integer(0, durationMs),
    engine: random.integer(0, 1),
    intensity: random.integer(0, 1_000) / 1_000,
  })).toSorted((one, other) => one.at - other.at);
}

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/**
 * An engine whose process is being replaced or is paused is left alone by all other faults of its process.
 */
export type BusyEngines = Set<number>;

type FaultAction = (field: FaultTargets, fault: ScheduledFault, busy: BusyEngines) => Promise<boolean>;

const faultActions: Readonly<Record<FaultKind, FaultAction>> = {
  'kill -9 of an engine': (field, { engine: first, intensity }, busy) =>
    withExclusiveEngine(busy, first, async (engine) => {
      await field.engines[engine]?.kill();
      await sleep(intensity * field.leaseMs * 1.5);
      await field.engines[engine]?.start();
    }),
  'SIGTERM of an engine': (field, { engine: first, intensity }, busy) =>
    withExclusiveEngine(busy, first, async (engine) => {
      if ((await field.engines[engine]?.terminate()) === false)
        field.ledger.unexpectedResponses.push(`Engine ${engine} did not end within a minute after SIGTERM.`);
      await sleep(intensity * 500);
      await field.engines[engine]?.start();
    }),
  'short pause of an engine': (field, { engine: first, intensity }, busy) =>
    withExclusiveEngine(busy, first, (engine) => pauseEngine(field, engine, intensity * field.leaseMs * 0.8)),
  'long pause of an engine': (field, { engine: first, intensity }, busy) =>
    withExclusiveEngine(busy, first, (engine) =>
      pauseEngine(field, engine, field.leaseMs * (1.5 + intensity * 1.5)),
    ),
  'kill -9 of PostgreSQL': async ({ postgres }, { intensity }) => {
    await postgres.kill(intensity < 0.5);
    return true;
  },
  'pg_terminate_backend storm': async ({ postgres, ledger }, { intensity }) => {
    for (let times = 0; times <= intensity * 6; times += 1) {
      incrementCount(ledger, 'connections ended by pg_terminate_backend', await postgres.terminateBackends());
      await sleep(80);
    }
    return true;
  },
  'kill -9 of the program of a task': (field, { intensity }) =>
    killTaskProcesses(field, intensity, 'program'),
  'kill -9 of the supervisor of a task': (field, { intensity }) =>
    killTaskProcesses(field, intensity, 'supervisor'),
  'kill -9 of all processes of a task': (field, { intensity }) => killTaskProcesses(field, intensity, 'all'),
  'connections cut': async ({ proxies }, { engine }) => {
    proxies[engine]?.resetConnections();
    return true;
  },
  'connections slow': async ({ proxies }, { engine, intensity }) => {
    proxies[engine]?.setDelay(20 + intensity * 200);
    await sleep(2_000);
    proxies[engine]?.setDelay(0);
    return true;
  },
  'connections standing still': async ({ proxies, leaseMs }, { engine, intensity }) => {
    proxies[engine]?.setStalled(true);
    await sleep(leaseMs * intensity * 3);
    proxies[engine]?.setStalled(false);
    return true;
  },
  'connections half-open': async ({ proxies }, { engine, intensity }) => {
    proxies[engine]?.halfOpenConnections(intensity * 3_000);
    return true;
  },
  'database out of reach': async ({ proxies, leaseMs }, { engine, intensity }) => {
    proxies[engine]?.setRefusing(true);
    await sleep(leaseMs * intensity * 2.5);
    proxies[engine]?.setRefusing(false);
    return true;
  },
};

/**
 * Does one fault, and waits until it is over. What could not be done (there was nobody to hit) is not
 * counted.
 */
export async function injectFault(
  field: FaultTargets,
  fault: ScheduledFault,
  busy: BusyEngines,
): Promise<void> {
  if (await faultActions[fault.kind](field, fault, busy)) incrementCount(field.ledger, fault.kind);
}

/**
 * Works on the engine that was drawn; on the other one while something else is done to it. False when both
 * are taken.
 */
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

/** A living process that carries the mark of an attempt. */
export interface TaskProcess {
  readonly pid: number;
  readonly attempt: number;
  readonly command: string;
}

/** Every living process of the attempts of this scene, wherever it has moved to. */
export async function findTaskProcesses(runsDirectory: string): Promise<TaskProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid): Promise<TaskProcess[]> => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      const mark = environment
        .split('\0')
        .find((variable) => variable.startsWith('RUNYARD_ATTEMPT_DIR='))
        ?.slice('RUNYARD_ATTEMPT_DIR='.length);
      if (mark === undefined || dirname(mark) !== runsDirectory) return [];
      const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
      return [{ pid: Number(pid), attempt: Number(basename(mark)), command }];
    }),
  );
  return found.flat();
}

/** Kills processes of one attempt; it is noted before, because nobody knows how fast the engine is. */
async function killTaskProcesses(
  { runsDirectory, ledger }: FaultTargets,
  size: number,
  what: 'program' | 'supervisor' | 'all',
): Promise<boolean> {
  const all = await findTaskProcesses(runsDirectory);
  const attempts = [...new Set(all.map(({ attempt }) => attempt))];
  const attempt = attempts[Math.floor(size * 0.999 * attempts.length)];
  const own = all.filter((one) => one.attempt === attempt);
  const victims = own.filter(
    ({ command }) => what === 'all' || command.includes('supervise.sh') === (what === 'supervisor'),
  );
  if (attempt === undefined || victims.length === 0) return false;
  ledger.killedAttempts.add(attempt);
  for (const { pid } of victims) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended in the meantime.
    }
  }
  return true;
}
