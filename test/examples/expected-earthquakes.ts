/** Expected values of the earthquakes example, computed without a database. */
import { readFile } from 'node:fs/promises';

export interface Feature {
  readonly id: string;
  readonly properties: {
    readonly mag: number;
    readonly place: string;
    readonly time: number;
    readonly type: string;
  };
  readonly geometry: { readonly coordinates: readonly [longitude: number, latitude: number, depth: number] };
}

export async function readFeatures(): Promise<Feature[]> {
  return JSON.parse(
    await readFile(new URL('../../examples/earthquakes/earthquakes.json', import.meta.url), 'utf8'),
  ).features;
}

interface Summary {
  readonly earthquakes: number;
  readonly strongest: number;
}

/** Returns the number and the maximum magnitude of the earthquakes of each key. */
export function summarize(
  quakes: readonly Feature[],
  keyOf: (quake: Feature) => string,
): [key: string, Summary][] {
  const groups = new Map<string, Feature[]>();
  for (const quake of quakes) groups.set(keyOf(quake), [...(groups.get(keyOf(quake)) ?? []), quake]);
  return [...groups]
    .map(([key, group]): [string, Summary] => [
      key,
      { earthquakes: group.length, strongest: Math.max(...group.map(({ properties }) => properties.mag)) },
    ])
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}

export const dayOf = ({ properties: { time } }: Feature): string => new Date(time).toISOString().slice(0, 10);
export const regionOf = ({ properties: { place } }: Feature): string =>
  (place.split(',').at(-1) ?? '').trim();
