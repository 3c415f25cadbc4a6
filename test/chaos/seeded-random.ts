/**
 * Random numbers from a seed: the same seed draws the same plan, so that a violation can be looked for again.
 */

export interface SeededRandom {
  /** A whole number, both ends included. */
  integer(least: number, most: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  /** One of them. @throws Error for an empty list */
  pick<Value>(values: readonly Value[]): Value;
  /** One of the names, each as often as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name;
  /** Another source, which the draws from this one do not disturb. */
  fork(name: string): SeededRandom;
}

export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  // Mulberry32: 32 bits of state are plenty for a plan, and the whole generator can be read at a glance.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    integer: between,
    chance: (probability) => next() < probability,
    pick(values) {
      const value = values[between(0, values.length - 1)];
      if (value === undefined) throw new Error('There is nothing to pick from.');
      return value;
    },
    weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
      const names = Object.keys(weights) as Name[];
      let left = next() * names.reduce((sum, name) => sum + weights[name], 0);
      const chosen = names.find((name) => (left -= weights[name]) < 0) ?? names.at(-1);
      if (chosen === undefined) throw new Error('There is nothing to choose from.');
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
