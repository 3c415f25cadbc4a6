/**
 * Dashboards in a real browser: the weather example is imported, migrated and looked at, and its figures are
 * right.
 */
import { readFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../harness/test-service.ts';
import {
  closeBrowser,
  isBrowserMissing,
  openConsole,
  browserMissingNote,
  type ConsolePage,
} from './console-page.ts';

const example = fileURLToPath(new URL('../../../examples/dashboards/weather.json', import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Day {
  readonly date: string;
  readonly rain: number;
  readonly high: number;
  readonly weather: string;
}

/** Longer than anything takes, even on a slow machine. */
const patience = { timeout: 30_000 };

let runyard: TestService;
let visitor: ConsolePage;
let days: readonly Day[];
let dashboardId: string;

beforeAll(async () => {
  runyard = await startTestService();
  const csv = await readFile(
    new URL('../../../examples/weather/seattle-weather.csv', import.meta.url),
    'utf8',
  );
  await runyard.putFile('/weather/seattle-weather.csv', csv);
  days = csv
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((line) => {
      const [date = '', rain, high, , , weather = ''] = line.split(',');
      return { date, rain: Number(rain), high: Number(high), weather };
    });
});
afterAll(async () => {
  await runyard.stop();
  await closeBrowser();
});

const widget = (title: string): Locator => visitor.page.getByRole('region', { name: title, exact: true });

/** Rows of the figures beside a chart. */
async function figuresOf(title: string): Promise<string[][]> {
  const figures = widget(title).locator('details.figures-of');
  await figures.locator('summary').click();
  return figures
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
}

/** What the chart itself says to those who do not see it: made from the series that are drawn. */
const saidBy = (title: string): Promise<string | null> =>
  widget(title).locator('.drawing-area[aria-label*=": "]').getAttribute('aria-label');

const countBy = (list: readonly Day[], key: (day: Day) => string): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const day of list) counts[key(day)] = (counts[key(day)] ?? 0) + 1;
  return counts;
};

describe.skipIf(isBrowserMissing)(`dashboards${browserMissingNote}`, () => {
  beforeEach(async () => {
    visitor = await openConsole(runyard);
    await visitor.goTo('#dashboards');
    await visitor.signIn();
  });
  afterEach(async () => {
    expect(visitor.browserErrors).toEqual([]);
    await visitor.close();
  });

  test('a classic dashboard is imported from a file, migrated, and shows the right figures', async () => {
    await visitor.waitForText('There are no dashboards yet.');
    await visitor.page.getByLabel('Classic dashboard (JSON)').setInputFiles(example);
    await visitor.button('Import and migrate').click();
    await visitor.page.getByRole('heading', { level: 1, name: 'Weather of Seattle' }).first().waitFor();
    dashboardId = /#dashboard\/([\da-f]+)/.exec(visitor.page.url())?.[1] ?? '';
    expect(dashboardId).not.toBe('');

    await widget('Days').getByText('1,461').waitFor();
    const warm = days.filter(({ high }) => high >= 25).length;
    await widget('Warm days').getByText(`${warm} days`).waitFor();
    await widget('Share of warm days').getByText(`${warm} of 1461 days`).waitFor();

    const byWeather = Object.entries(countBy(days, ({ weather }) => weather));
    expect((await figuresOf('Days by weather')).toSorted()).toEqual(
      byWeather.map(([name, count]) => [name, String(count)]).toSorted(),
    );
    for (const [name, count] of byWeather) {
      expect(await saidBy('Days by weather')).toContain(`${name} is ${count}`);
      expect(await saidBy('Kinds of weather')).toContain(`${name} is ${count}`);
    }

    const rain = ['2012', '2013', '2014', '2015'].map(
      (year) =>
        [
          year,
          days
            .filter(({ date }) => date.startsWith(year))
            .reduce((sum, day) => sum + Math.round(day.rain * 10), 0) / 10,
        ] as const,
    );
    for (const [year, millimetres] of rain)
      expect(await saidBy('Rain of years')).toContain(`${year} is ${millimetres}`);

    const bins = countBy(days, ({ high }) => String(Math.floor(high / 5) * 5));
    for (const [from, count] of Object.entries(bins))
      expect(await saidBy('How warm days are')).toContain(`${from} is ${count}`);

    const steps = [
      ['All days', 0],
      ['Some rain', 0.1],
      ['5 mm and more', 5],
      ['20 mm and more', 20],
    ] as const;
    expect(await figuresOf('How much it rains')).toEqual(
      steps.map(([name, least]) => [name, String(days.filter(({ rain: fallen }) => fallen >= least).length)]),
    );

    await widget('Weather by year').getByRole('table').waitFor();
    const pivot = widget('Weather by year').getByRole('row', { name: /^snow/ });
    const snow = countBy(
      days.filter(({ weather }) => weather === 'snow'),
      ({ date }) => date.slice(0, 4),
    );
    expect(await pivot.locator('td').allTextContents()).toEqual(
      ['2012', '2013', '2014', '2015'].map((year) => (snow[year] === undefined ? '' : String(snow[year]))),
    );

    const table = widget('Every day').getByRole('row');
    await table.nth(1).waitFor();
    expect(await table.nth(1).locator('td').allTextContents()).toEqual([
      '2012-01-01',
      '12.8',
      '5.0',
      '0.0',
      'drizzle',
    ]);
    await widget('Every day').getByRole('button', { name: 'More rows' }).click();
    await widget('Every day').getByText('2 of 147').waitFor();
    await widget('Where it was measured').getByText('Shown without a map').waitFor();
    await widget('States').getByText('Shown as a table').waitFor();
    expect(await visitor.page.locator('.drawing-area svg').count()).toBe(10);
    expect(await visitor.page.getByRole('alert').allTextContents()).toEqual([]);
  });

  test('filters set what the widgets show', async () => {
    await visitor.goTo(`#dashboard/${dashboardId}`);
    await widget('Days').getByText('1,461').waitFor();
    await visitor.page.locator('.several summary').click();
    for (const year of ['2012', '2013', '2015'])
      await visitor.page.getByRole('checkbox', { name: year }).uncheck();
    await widget('Days').getByText('365', { exact: true }).waitFor();
    await expect.poll(() => saidBy('Rain of years'), patience).not.toContain('2012 is');
    await visitor.page.getByLabel('Warm from °C').fill('30');
    await visitor.page.getByLabel('Warm from °C').press('Enter');
    const hot = days.filter(({ date, high }) => date.startsWith('2014') && high >= 30).length;
    await widget('Warm days').getByText(`${hot} days`).waitFor();
    await visitor.page.getByLabel('Weather is like').fill('hail');
    await visitor.page.getByLabel('Weather is like').press('Enter');
    await widget('Kinds of weather').getByText('The query returned no rows.').waitFor();
    await visitor.page.getByLabel('Weather is like').fill("o' OR 1=1 --");
    await visitor.page.getByLabel('Weather is like').press('Enter');
    await widget('Days by weather').getByText('The query returned no rows.').waitFor();
    expect(await visitor.page.getByRole('alert').allTextContents()).toEqual([]);
  });

  test('what cannot be run says so in its widget, texts run nothing, and warnings of the migration are listed', async () => {
    const attack = '<img src=x onerror="top.owned=1"><script>top.owned=1</script>';
    const query = (sql: string): object => ({ id: sql, name: sql, query: sql });
    const { id } = await runyard.callOk('POST', '2.0/preview/sql/dashboards', {
      name: `Hostile ${attack}`,
      widgets: [
        { id: 1, text: `${attack}\n\n[run](javascript:top.owned=1) **bold**`, options: {} },
        {
          id: 2,
          options: { position: { col: 0, row: 2, sizeX: 3, sizeY: 3 } },
          visualization: {
            type: 'TABLE',
            name: 'Broken',
            options: {},
            query: query('SELECT * FROM nowhere'),
          },
        },
        {
          id: 3,
          options: { position: { col: 3, row: 2, sizeX: 3, sizeY: 3 } },
          visualization: {
            type: 'SUNBURST_SEQUENCE',
            name: 'Values',
            options: {},
            query: query(`SELECT '${attack.replaceAll("'", "''")}' AS a`),
          },
        },
        {
          id: 4,
          options: { position: { col: 0, row: 5, sizeX: 3, sizeY: 3 } },
          visualization: {
            type: 'CHART',
            name: attack,
            options: { globalSeriesType: 'column', columnMapping: { a: 'x', b: 'y' } },
            query: query(`SELECT '${attack}' AS a, 1 AS b`),
          },
        },
      ],
    });
    const { dashboard_id } = await runyard.callOk('POST', '2.0/modern/dashboards/migrate', {
      source_dashboard_id: id,
    });
    await visitor.goTo(`#dashboard/${dashboard_id}`);
    await widget('Broken')
      .getByText(/Table with name nowhere does not exist/)
      .waitFor();
    await widget('Values').getByRole('cell', { name: attack }).waitFor();
    await visitor.page.locator('strong', { hasText: 'bold' }).waitFor();
    await visitor.page.locator('.drawing-area svg').waitFor();
    await visitor.page.locator('.drawing-area').hover();
    await visitor.page.getByText(/The migration approximated/).click();
    await visitor.waitForText(/has no counterpart in the new format/);
    expect(await visitor.page.evaluate(() => 'owned' in globalThis)).toBe(false);
    expect(await visitor.page.locator('a[href^="javascript"]').count()).toBe(0);
  });

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 400],
    ['dark', 400],
  ] as const)('everybody can use it: %s, %i pixels wide', async (colorScheme, width) => {
    await visitor.page.emulateMedia({ colorScheme });
    await visitor.page.setViewportSize({ width, height: 900 });
    await visitor.goTo(`#dashboard/${dashboardId}`);
    await expect
      .poll(() => visitor.page.locator('.drawing-area[aria-label*=": "] svg').count(), patience)
      .toBe(10);
    await widget('Every day').getByRole('table').waitFor();
    const folder = process.env['SCREENSHOTS'];
    if (folder !== undefined)
      await visitor.page.screenshot({
        path: `${folder}/dashboard-${colorScheme}-${width}.png`,
        fullPage: true,
      });
    expect(await visitor.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      width,
    );
    await visitor.page.evaluate(axe);
    const violations = await visitor.page.evaluate(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ target }) => target).join(", ")}`))',
    );
    expect(violations).toEqual([]);
  });
});
