/** Widgets and other utilities of Python notebooks. */
import { describe, expect, test } from 'vitest';
import { lastCellOutputs, notebookSource, runDriver } from './run-notebook-driver.ts';

describe('dbutils', () => {
  test.each<[string, string, string]>([
    [
      'prefers a parameter of the run to the default of a widget',
      'dbutils.widgets.text("year", "2012")\ndbutils.widgets.get("year")',
      '2013',
    ],
    [
      'returns the default of a widget without a parameter',
      'dbutils.widgets.text("city", "Seattle", "City")\ngetArgument("city")',
      'Seattle',
    ],
    ['returns a parameter that has no widget', 'dbutils.widgets.get("year")', '2013'],
    ['keeps parameters after removeAll', 'dbutils.widgets.removeAll()\ndbutils.widgets.get("year")', '2013'],
    [
      'returns the default of a dropdown',
      'dbutils.widgets.dropdown("unit", "C", ["C", "F"])\ndbutils.widgets.getArgument("unit")',
      'C',
    ],
    [
      'accepts keyword arguments',
      'dbutils.widgets.multiselect(name="unit", defaultValue="F", choices=["C", "F"], label="u")\n' +
        'dbutils.widgets.get("unit")',
      'F',
    ],
    ['returns the default of getArgument', 'getArgument("gone", "there")', 'there'],
  ])('%s', async (_case, cell, value) => {
    expect(lastCellOutputs(await runDriver(notebookSource(cell), { year: '2013' }))).toEqual([
      { type: 'text', data: `'${value}'` },
    ]);
  });

  test('returns widgets and parameters from getAll', async () => {
    const driven = await runDriver(
      notebookSource('dbutils.widgets.combobox("a", "1", ["1"])\ndbutils.widgets.getAll()'),
      { b: '2' },
    );
    expect(lastCellOutputs(driven)).toEqual([{ type: 'text', data: "{'a': '1', 'b': '2'}" }]);
  });

  test.each<[string, string, RegExp]>([
    [
      'refuses an unknown widget and lists the known ones',
      'dbutils.widgets.get("yaer")',
      /^ValueError: No widget .* named "yaer"; available are year\./,
    ],
    [
      'refuses a default that is not a choice',
      'dbutils.widgets.dropdown("u", "K", ["C", "F"])',
      /^ValueError: The default "K" of widget "u" is not one of its choices: C, F/,
    ],
    [
      'refuses a parameter that is not a choice',
      'dbutils.widgets.dropdown("year", "2012", ["2012"])',
      /^ValueError: The value "2013" of widget "year" is not one of its choices: 2012/,
    ],
    [
      'refuses a multiselect with a part that is not a choice',
      'dbutils.widgets.multiselect("u", "C,K", ["C", "F"])',
      /^ValueError: The default "C,K" of widget "u" is not one of its choices: C, F/,
    ],
    [
      'refuses secrets and suggests environment variables',
      'dbutils.secrets.get("a", "b")',
      /^NotImplementedError: dbutils\.secrets\.get is not available in Runyard\. Put the value into an environment variable/,
    ],
    [
      'refuses an unknown utility',
      'dbutils.help()',
      /^NotImplementedError: dbutils\.help is not available in Runyard/,
    ],
    [
      'refuses an unknown function',
      'dbutils.jobs.repair()',
      /^NotImplementedError: dbutils\.jobs\.repair is not available in Runyard/,
    ],
  ])('%s', async (_case, cell, summary) => {
    const { code, report } = await runDriver(notebookSource(cell), { year: '2013' });
    expect(code).toBe(1);
    expect(report.error?.summary).toMatch(summary);
    // The trace must not contain frames of the driver.
    expect(report.error?.trace).not.toContain('runyard_driver');
  });
});
