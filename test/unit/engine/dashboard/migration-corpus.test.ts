/** Migration of a corpus of classic dashboards; each expected result was reviewed by a person. */
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Errors, Parse } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { ClassicDashboard } from '../../../../engine/dashboard/classic.ts';
import { convertDashboard } from '../../../../engine/dashboard/convert-dashboard.ts';
import { SerializedDashboard, serializeDashboard } from '../../../../engine/dashboard/modern.ts';

const directory = fileURLToPath(new URL('corpus/', import.meta.url));
const names = readdirSync(directory)
  .filter((name) => name.endsWith('.json') && !name.endsWith('.migrated.json'))
  .map((name) => name.slice(0, -'.json'.length));

function corpus(name: string): ClassicDashboard {
  return Parse(ClassicDashboard, withoutNull(JSON.parse(readFileSync(`${directory}${name}.json`, 'utf8'))));
}

/** Removes null values, as the service does in a body. */
function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => entry !== null)
      .map(([key, entry]) => [key, withoutNull(entry)]),
  );
}

const dashboardId = '0123456789abcdef0123456789abcdef';

describe.each(names)('spec 4.4: %s', (name) => {
  test('migration produces the reviewed result', async () => {
    const { dashboard, warnings, warehouseId } = convertDashboard(corpus(name), {
      dashboardId,
      updateParameterSyntax: true,
    });
    await expect(`${JSON.stringify({ warehouseId, warnings, ...dashboard }, null, 1)}\n`).toMatchFileSnapshot(
      `${directory}${name}.migrated.json`,
    );
  });

  test.each([true, false])(
    'the result satisfies the schema of the format, with parameters rewritten: %s',
    (updateParameterSyntax) => {
      const { dashboard } = convertDashboard(corpus(name), { dashboardId, updateParameterSyntax });
      expect([...Errors(SerializedDashboard, dashboard)]).toEqual([]);
      expect(serializeDashboard(dashboard)).toMatch(/^\{.*\}\n$/);
    },
  );

  test('every query is unchanged when parameters are not rewritten', () => {
    const classic = corpus(name);
    const { dashboard } = convertDashboard(classic, { dashboardId, updateParameterSyntax: false });
    const texts = new Set(dashboard.datasets.map(({ queryLines }) => queryLines.join('')));
    for (const { visualization } of classic.widgets ?? [])
      if (visualization !== undefined) expect(texts).toContain(visualization.query?.query);
  });
});

test('the corpus has every type of visualization, of chart, of parameter and of mapping', () => {
  const text = names
    .map((name) => readFileSync(`${directory}${name}.json`, 'utf8'))
    .join('')
    .toLowerCase();
  const expected = [
    ...[
      'table',
      'chart',
      'counter',
      'pivot',
      'details',
      'funnel',
      'cohort',
      'choropleth',
      'map',
      'sankey',
      'sunburst_sequence',
      'word_cloud',
      'boxplot',
    ].map((type) => `"type": "${type}"`),
    ...['line', 'column', 'area', 'pie', 'scatter', 'bubble', 'heatmap', 'box', 'combo', 'histogram'].map(
      (type) => `"globalseriestype": "${type}"`,
    ),
    ...[
      'text',
      'number',
      'enum',
      'query',
      'date',
      'datetime-local',
      'datetime-with-seconds',
      'date-range',
      'datetime-range',
      'datetime-range-with-seconds',
    ].map((type) => `"type": "${type}"`),
    ...[
      'text_value',
      'numeric_value',
      'enum_value',
      'query_backed_value',
      'date_value',
      'date_range_value',
    ].map((key) => `"${key}"`),
    ...['dashboard-level', 'widget-level', 'static-value'].map((type) => `"type": "${type}"`),
    '"columnmapping"',
    '"columnconfigurationmap"',
  ];
  expect(expected.filter((part) => !text.includes(part))).toEqual([]);
});
