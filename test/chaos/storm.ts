/** The faults of a scene, drawn from its seed, and how each is done. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { EngineUnderFire } from './engine-under-fire.ts';
import { count, type Ledger } from './ledger.ts';
import type { PostgresUnderFire } from './postgres-under-fire.ts';
import type { FaultyProxy } from './proxy.ts';
import type { Random } from './random.ts';

/** Every kind of fault -> how often it is drawn. */
const kinds = {
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
export type FaultKind = keyof typeof kinds;
export const faultKinds = Object.keys(kinds) as FaultKind[];

/** What faults are done to. */
export interface Field {
  readonly engines: readonly EngineUnderFire[];
  /** The way of each engine to the database. */
  readonly proxies: readonly FaultyProxy[];
  readonly postgres: PostgresUnderFire;
  /** The parent of the attempts' directories. */
  readonly runsDirectory: string;
  readonly leaseMs: number;
  readonly ledger: Ledger;
}

export interface Fault {
  readonly kind: FaultKind;
  /** Milliseconds since the begin of the storm. */
  readonly at: number;
  /** Which of the engines it is about. */
  readonly engine: number;
  /** How long it lasts, or what else it needs to be drawn: 0 to 1. */
  readonly size: number;
}

/** Every draw is made here, before the storm; each kind comes once before the weights decide. */
export function faultsOf(random: Random, durationMs: number, meanGapMs: number): Fault[] {
  const number = Math.max(1, Math.floor(durationMs / meanGapMs));
  const once = [...faultKinds]
    .map((kind) => ({ kind, order: random.between(0, 1_000_000) }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ kind }) => kind);
  return Array.from({ length: number }, (_, index): Fault => ({
    kind: once[index] ?? random.weighted(kinds),
    at: random.between(0, durationMs),
    engine: random.between(0, 1),
    size: random.between(0, 1_000) / 1_000,
  })).toSorted((one, other) => one.at - other.at);
}

const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/**
 * An engine whose process is being replaced or is paused is left alone by all other faults of its process.
 */
export type Busy = Set<number>;

type Doing = (field: Field, fault: Fault, busy: Busy) => Promise<boolean>;

const doings: Readonly<Record<FaultKind, Doing>> = {
  'kill -9 of an engine': (field, { engine: first, size }, busy) =>
    alone(busy, first, async (engine) => {
      await field.engines[engine]?.kill();
      await wait(size * field.leaseMs * 1.5);
      await field.engines[engine]?.start();
    }),
  'SIGTERM of an engine': (field, { engine: first, size }, busy) =>
    alone(busy, first, async (engine) => {
      if ((await field.engines[engine]?.terminate()) === false)
        field.ledger.badAnswers.push(`Engine ${engine} did not end within a minute after SIGTERM.`);
      await wait(size * 500);
      await field.engines[engine]?.start();
    }),
  'short pause of an engine': (field, { engine: first, size }, busy) =>
    alone(busy, first, (engine) => pauseEngine(field, engine, size * field.leaseMs * 0.8)),
  'long pause of an engine': (field, { engine: first, size }, busy) =>
    alone(busy, first, (engine) => pauseEngine(field, engine, field.leaseMs * (1.5 + size * 1.5))),
  'kill -9 of PostgreSQL': async ({ postgres }, { size }) => {
    await postgres.kill(size < 0.5);
    return true;
  },
  'pg_terminate_backend storm': async ({ postgres, ledger }, { size }) => {
    for (let times = 0; times <= size * 6; times += 1) {
      count(ledger, 'connections ended by pg_terminate_backend', await postgres.terminateBackends());
      await wait(80);
    }
    return true;
  },
  'kill -9 of the program of a task': (field, { size }) => killTask(field, size, 'program'),
  'kill -9 of the supervisor of a task': (field, { size }) => killTask(field, size, 'supervisor'),
  'kill -9 of all processes of a task': (field, { size }) => killTask(field, size, 'all'),
  'connections cut': async ({ proxies }, { engine }) => {
    proxies[engine]?.cut();
    return true;
  },
  'connections slow': async ({ proxies }, { engine, size }) => {
    proxies[engine]?.delay(20 + size * 200);
    await wait(2_000);
    proxies[engine]?.delay(0);
    return true;
  },
  'connections standing still': async ({ proxies, leaseMs }, { engine, size }) => {
    proxies[engine]?.standStill(true);
    await wait(leaseMs * size * 3);
    proxies[engine]?.standStill(false);
    return true;
  },
  'connections half-open': async ({ proxies }, { engine, size }) => {
    proxies[engine]?.goHalfOpen(size * 3_000);
    return true;
  },
  'database out of reach': async ({ proxies, leaseMs }, { engine, size }) => {
    proxies[engine]?.refuse(true);
    await wait(leaseMs * size * 2.5);
    proxies[engine]?.refuse(false);
    return true;
  },
};

/**
 * Does one fault, and waits until it is over. What could not be done (there was nobody to hit) is not
 * counted.
 */
export async function strike(field: Field, fault: Fault, busy: Busy): Promise<void> {
  if (await doings[fault.kind](field, fault, busy)) count(field.ledger, fault.kind);
}

/**
 * Works on the engine that was drawn; on the other one while something else is done to it. False when both
 * are taken.
 */
async function alone(busy: Busy, first: number, work: (engine: number) => Promise<void>): Promise<boolean> {
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

async function pauseEngine({ engines }: Field, engine: number, milliseconds: number): Promise<void> {
  engines[engine]?.pause();
  await wait(milliseconds);
  engines[engine]?.resume();
}

/** A living process that carries the mark of an attempt. */
export interface MarkedProcess {
  readonly pid: number;
  readonly attempt: number;
  readonly command: string;
}

/** Every living process of the attempts of this scene, wherever it has moved to. */
export async function markedProcesses(runsDirectory: string): Promise<MarkedProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid): Promise<MarkedProcess[]> => {
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
async function killTask(
  { runsDirectory, ledger }: Field,
  size: number,
  what: 'program' | 'supervisor' | 'all',
): Promise<boolean> {
  const all = await markedProcesses(runsDirectory);
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
