/** Seeded random numbers: the same seed draws the same plan, which makes a violation repeatable. */

export interface SeededRandom {
  /** Returns an integer between two bounds, both included. */
  integer(minimum: number, maximum: number): number;
  /** Returns true with the given probability. */
  chance(probability: number): boolean;
  /** Returns one of the values. @throws Error for an empty list */
  pick<Value>(values: readonly Value[]): Value;
  /** Returns one of the names; the weights are relative frequencies. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name;
  /** Returns an independent source; draws from this source do not affect it. */
  fork(name: string): SeededRandom;
}

export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  // Mulberry32: 32 bits of state are enough for a plan.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (minimum: number, maximum: number): number =>
    minimum + Math.floor(next() * (maximum - minimum + 1));
  return {
    integer,
    chance: (probability) => next() < probability,
    pick(values) {
      const value = values[integer(0, values.length - 1)];
      if (value === undefined) throw new Error('The list of values is empty.');
      return value;
    },
    weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
      const names = Object.keys(weights) as Name[];
      let remaining = next() * names.reduce((sum, name) => sum + weights[name], 0);
      const chosen = names.find((name) => (remaining -= weights[name]) < 0) ?? names.at(-1);
      if (chosen === undefined) throw new Error('The list of names is empty.');
      return chosen;
    },
    fork: (name) =>
      createSeededRandom(
        [...name].reduce(
          (hash, character) => Math.imul(hash, 31) + character.charCodeAt(0),
          seed ^ 0x9e3779b9,
        ),
      ),
  };
}
