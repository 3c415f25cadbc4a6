/** Tests of the earthquakes example against values computed from the data, also with incremental updates. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EventDraft } from '../../engine/pipeline/events.ts';
import { parseSpec } from '../../engine/pipeline/pipeline-spec.ts';
import { createPipelineHarness, type PipelineHarness } from '../unit/runners/pipeline/pipeline-harness.ts';
import { dayOf, readFeatures, regionOf, summarize, type Feature } from './expected-earthquakes.ts';

let world: PipelineHarness;
let all: Feature[];

beforeAll(async () => {
  world = await createPipelineHarness();
  all = await readFeatures();
});
afterAll(() => world.remove());

const example = (name: string): Promise<string> =>
  readFile(new URL(`../../examples/earthquakes/${name}`, import.meta.url), 'utf8');

async function update(): Promise<EventDraft[]> {
  const { configuration } = parseSpec(await example('spark-pipeline.yml'), '/earthquakes/spark-pipeline.yml');
  const sources: Record<string, string> = {};
  for (const name of ['reported.sql', 'summaries.sql'])
    sources[`/earthquakes/transformations/${name}`] = await example(`transformations/${name}`);
  return world.runUpdate(sources, {}, { configuration });
}

/** Compares every table with the values computed from these features. */
async function check(found: readonly Feature[]): Promise<void> {
  const quakes = found.filter(({ properties }) => properties.type === 'earthquake');
  const rows = await world.readRows(
    'reported',
    'SELECT id, magnitude, place, epoch_ms(time) AS ms, longitude, latitude, depth_km FROM t ORDER BY id',
  );
  expect(rows.map((row) => ({ ...row, ms: Number(row['ms']) }))).toEqual(
    quakes
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map(({ id, properties, geometry }) => {
        const [longitude, latitude, depth] = geometry.coordinates;
        return {
          id,
          magnitude: properties.mag,
          place: properties.place,
          ms: properties.time,
          longitude,
          latitude,
          depth_km: depth,
        };
      }),
  );
  const summaries = async (table: string, key: string) =>
    (await world.readRows(table))
      .map((row) => [
        String(row[key]),
        { earthquakes: Number(row['earthquakes']), strongest: row['strongest'] },
      ])
      .toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1));
  expect(await summaries('by_day', 'day')).toEqual(summarize(quakes, dayOf));
  expect(await summaries('by_region', 'region')).toEqual(summarize(quakes, regionOf));
  const strong = quakes
    .filter(({ properties }) => properties.mag >= 5)
    .map(({ properties: { mag, place } }) => `${mag} ${place}`);
  expect(
    (await world.readRows('strong'))
      .map(({ magnitude, place }) => `${String(magnitude)} ${String(place)}`)
      .toSorted(),
  ).toEqual(strong.toSorted());
}

test('an update with the whole week yields the expected tables and expectation counts', async () => {
  await world.putFile('earthquakes/week.json', await example('earthquakes.json'));
  const events = await update();
  await check(all);
  const [progress] = events.flatMap(({ flow, details }) =>
    flow === 'reported' && details?.flow_progress?.status === 'COMPLETED' ? [details.flow_progress] : [],
  );
  const dropped = all.filter(({ properties }) => properties.type !== 'earthquake').length;
  const above = all.filter(({ geometry }) => geometry.coordinates[2] < 0).length;
  expect([dropped, above]).toEqual([28, 43]);
  const count = (name: string, failed: number): object => ({
    name,
    dataset: 'reported',
    passed_records: all.length - failed,
    failed_records: failed,
  });
  expect(progress).toEqual({
    status: 'COMPLETED',
    metrics: { num_output_rows: all.length - dropped },
    data_quality: {
      dropped_records: dropped,
      expectations: [
        count('is_earthquake', dropped),
        count('on_this_planet', 0),
        count('below_the_ground', above),
      ],
    },
  });
});

test('seven updates with a part of the week each yield the same tables', async () => {
  await world.remove();
  world = await createPipelineHarness();
  for (let day = 0; day < 7; day += 1) {
    await world.putFile(
      `earthquakes/part-${day}.json`,
      JSON.stringify({ type: 'FeatureCollection', features: all.filter((_, index) => index % 7 === day) }),
    );
    await update();
  }
  await check(all);
  expect((await world.readManifest()).datasets['reported']?.parts).toHaveLength(7);
});
