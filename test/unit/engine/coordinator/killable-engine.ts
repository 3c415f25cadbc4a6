/** Ports of an engine that dies at a given call: later calls are neither made nor answered. */
import { pino } from 'pino';
import { systemClock } from '../../../../engine/clock.ts';
import type { CoordinatorPorts } from '../../../../engine/coordinator/coordinator-context.ts';
import { createClusterStore } from '../../../../storage/postgres/clusters/clusters.ts';
import type { CoordinatorHarness } from './coordinator-harness.ts';

type Method = (...args: unknown[]) => unknown;

export interface KillableEngine {
  readonly ports: Partial<CoordinatorPorts>;
  isDead(): boolean;
}

/** Returns a port whose methods never resolve once the engine is dead. */
export function killable<Port extends object>(port: Port, isDead: () => boolean): Port {
  const never = new Promise(() => undefined);
  return wrapMethods(port, async (call) => {
    if (isDead()) return never;
    const answer = await call();
    return isDead() ? never : answer;
  });
}

/** Returns stores that kill the engine after their `fatalCall`-th call, or instead of it with `before`. */
export function createKillableEngine(
  { runs, database }: CoordinatorHarness,
  fatalCall: number,
  before: boolean,
): KillableEngine {
  let calls = 0;
  let dead = false;
  const isDead = (): boolean => dead;
  const countCalls = <Port extends object>(port: Port): Port =>
    wrapMethods(port, async (call) => {
      calls += 1;
      const isFatal = calls === fatalCall;
      if (isFatal && before) {
        dead = true;
        return undefined;
      }
      const answer = await call();
      if (isFatal) dead = true;
      return answer;
    });
  const clusters = createClusterStore(database.db, systemClock, pino({ level: 'silent' }));
  return {
    ports: { runs: killable(countCalls(runs), isDead), clusters: killable(countCalls(clusters), isDead) },
    isDead,
  };
}

function wrapMethods<Port extends object>(port: Port, wrap: (call: () => unknown) => Promise<unknown>): Port {
  return new Proxy(port, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      // The proxy passes arguments and results on unchanged, so the types of the port hold.
      return (...args: unknown[]) => wrap(() => (value as Method).apply(target, args));
    },
  });
}
