/** Migration of random classic dashboards: the result is valid whatever the dashboard contains. */
import * as fc from 'fast-check';
import { Errors } from 'typebox/value';
import { expect, test } from 'vitest';
import type { ClassicDashboard } from '../../../../engine/dashboard/classic.ts';
import { convertDashboard } from '../../../../engine/dashboard/convert-dashboard.ts';
import { SerializedDashboard, serializeDashboard } from '../../../../engine/dashboard/modern.ts';
import { randomWidget } from './random-dashboard.ts';

const id = '33333333-0000-4000-8000-000000000001';

test('migration of a random dashboard satisfies the schema and has no dangling references', () => {
  fc.assert(
    fc.property(fc.array(randomWidget, { maxLength: 6 }), fc.boolean(), (widgets, rewrite) => {
      const classic: ClassicDashboard = { id, name: 'Random', widgets };
      const before = JSON.stringify(classic);
      const { dashboard, warnings } = convertDashboard(classic, {
        dashboardId: 'd'.repeat(32),
        updateParameterSyntax: rewrite,
      });
      expect(JSON.stringify(classic)).toBe(before);
      expect([...Errors(SerializedDashboard, JSON.parse(serializeDashboard(dashboard)))]).toEqual([]);
      expect(warnings.every((warning) => warning.isWellFormed() && /[.]$/.test(warning))).toBe(true);
      const names = dashboard.pages
        .flatMap(({ name, layout }) => [name, ...layout.map((placed) => placed.widget.name)])
        .concat(dashboard.datasets.map(({ name }) => name));
      expect(new Set(names).size).toBe(names.length);
      for (const {
        widget: { queries = [] },
      } of dashboard.pages.flatMap(({ layout }) => layout)) {
        for (const {
          query: { datasetName, parameters = [] },
        } of queries) {
          const dataset = dashboard.datasets.find(({ name }) => name === datasetName);
          expect(dataset).toBeDefined();
          for (const { keyword } of parameters)
            expect(dataset?.parameters?.map((one) => one.keyword)).toContain(keyword);
        }
      }
      for (const { parameters = [] } of dashboard.datasets)
        expect(new Set(parameters.map(({ keyword }) => keyword)).size).toBe(parameters.length);
    }),
    { numRuns: 1_500 },
  );
});

test('every field of an encoding is a field of the query', () => {
  fc.assert(
    fc.property(fc.array(randomWidget, { maxLength: 4 }), (widgets) => {
      const { dashboard } = convertDashboard(
        { id, name: 'Random', widgets },
        { dashboardId: 'd'.repeat(32), updateParameterSyntax: true },
      );
      for (const {
        widget: { queries = [], spec },
      } of dashboard.pages.flatMap(({ layout }) => layout)) {
        const fieldNames = new Set(
          queries.flatMap(({ query: { fields = [] } }) => fields.map(({ name }) => name)),
        );
        for (const named of valuesOf('fieldName', spec?.encodings)) expect(fieldNames).toContain(named);
      }
    }),
    { numRuns: 500 },
  );
});

function valuesOf(key: string, node: unknown): unknown[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) => [
    ...(name === key ? [value] : []),
    ...valuesOf(key, value),
  ]);
}
