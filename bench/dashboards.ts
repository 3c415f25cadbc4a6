/** Measures the CPU time of migrating a dashboard with 100 widgets; fails at a median of 50 ms or more. */
import { convertDashboard } from '../engine/dashboard/convert-dashboard.ts';
import { serializeDashboard } from '../engine/dashboard/modern.ts';
import type { ClassicDashboard, ClassicWidget } from '../engine/dashboard/classic.ts';
import { summarizeMs } from './summarize.ts';

const maximumMedianMs = 50;
const widgets = 100;
const rounds = 200;

const kinds = ['column', 'line', 'area', 'pie', 'scatter', 'combo', 'histogram', 'heatmap'];

/** Thirty lines of SQL with ten parameters of several kinds. */
const createQuery = (
  index: number,
): string => `SELECT month, region, sum(revenue) AS revenue, sum(cost) AS cost -- {{ not }} this
FROM {{ catalog }}.sales_${index} WHERE region IN ({{ regions }}) AND city = '{{ city }}' AND day BETWEEN '{{ period.start }}' AND '{{ period.end }}'
${Array.from({ length: 25 }, (_, line) => `  AND column_${line} > coalesce(other_${line}, 'it''s ${line}') -- {{ comment }}`).join('\n')}
  AND t > now() - INTERVAL {{ hours }} HOURS AND name LIKE '%{{ part }}%' GROUP BY {{ by }}, region`;

function createWidget(index: number): ClassicWidget {
  return {
    id: index,
    options: {
      position: { col: (index % 2) * 3, row: Math.floor(index / 2) * 5, sizeX: 3, sizeY: 5 },
      parameterMappings: {
        city: {
          name: 'city',
          type: ['dashboard-level', 'widget-level', 'static-value'][index % 3],
          mapTo: 'city',
          value: 'Oslo',
        },
      },
    },
    visualization: {
      type: index % 4 === 3 ? 'TABLE' : 'CHART',
      name: `Widget ${index}`,
      options: {
        globalSeriesType: kinds[index % kinds.length],
        columnMapping: { month: 'x', revenue: 'y', cost: 'y', region: index % 2 === 0 ? 'series' : 'zVal' },
        seriesOptions: { revenue: { color: '#00A972', type: 'column' }, cost: { type: 'line' } },
        numberFormat: '0,0.00',
        columns: Array.from({ length: 12 }, (_, column) => ({
          name: `column_${column}`,
          title: `Column ${column}`,
          displayAs: 'string',
          visible: true,
          order: column,
        })),
      },
      query: {
        id: `query-${index % 50}`,
        name: `Query ${index % 50}`,
        query: createQuery(index % 50),
        options: {
          parameters: [
            {
              name: 'regions',
              type: 'enum',
              enumOptions: 'north\nsouth\neast\nwest',
              value: ['north'],
              multiValuesOptions: { prefix: "'", suffix: "'", separator: ',' },
            },
            { name: 'period', type: 'date-range', value: 'd_last_30_days' },
            { name: 'city', type: 'text', value: 'Oslo' },
            { name: 'hours', type: 'number', value: 24 },
          ],
        },
      },
    },
  };
}

const classicDashboard: ClassicDashboard = {
  id: '33333333-0000-4000-8000-000000000001',
  name: 'Bench',
  widgets: Array.from({ length: widgets }, (_, index) => createWidget(index)),
};
/** Returns the CPU time of this thread, ms, which other load on the machine does not affect. */
const threadCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
const times: number[] = [];
let [datasets, warnings, bytes] = [0, 0, 0];
for (let round = 0; round < rounds; round += 1) {
  const before = threadCpuMs();
  const result = convertDashboard(classicDashboard, {
    dashboardId: 'd'.repeat(32),
    updateParameterSyntax: true,
  });
  const text = serializeDashboard(result.dashboard);
  times.push(threadCpuMs() - before);
  [datasets, warnings, bytes] = [result.dashboard.datasets.length, result.warnings.length, text.length];
}
const [first = 0] = times;
process.stdout.write(
  `${widgets} widgets, ${datasets} datasets, ${warnings} warnings, ${bytes} bytes of result\nfirst, before compilation: ${first.toFixed(1)} ms\nthen: ${summarizeMs(times.slice(1))}\n`,
);
const median = times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
process.exitCode = median < maximumMedianMs ? 0 : 1;
