/** Tests of dashboards in a real browser: import and migration of the weather example, values and filters. */
import { readFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../harness/test-service.ts';
import {
  closeBrowser,
  hangTimeouts,
  isBrowserMissing,
  openConsole,
  browserMissingNote,
  waitForCount,
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

let runyard: TestService;
let consolePage: ConsolePage;
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

/** Finds a widget by its title, which the name of its query follows unless it is the same. */
const widget = (title: string): Locator =>
  consolePage.page.getByRole('region', {
    name: new RegExp(`^${title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}(?: - |$)`),
  });

/** Opens the data table of a chart and returns its rows. */
async function readDataRows(title: string): Promise<string[][]> {
  const data = widget(title).locator('details.figures-of');
  await data.locator('summary').click();
  return data
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
}

/** Returns the text alternative of a chart, which is built from the drawn series. */
const readDescription = (title: string): Promise<string | null> =>
  widget(title).locator('.drawing-area[aria-label*=": "]').getAttribute('aria-label');

const countBy = (list: readonly Day[], key: (day: Day) => string): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const day of list) counts[key(day)] = (counts[key(day)] ?? 0) + 1;
  return counts;
};

describe.skipIf(isBrowserMissing)(`dashboards${browserMissingNote}`, { timeout: hangTimeouts.test }, () => {
  beforeEach(async () => {
    consolePage = await openConsole(runyard);
    await consolePage.goTo('#dashboards');
    await consolePage.signIn();
  });
  afterEach(async () => {
    expect(consolePage.browserErrors).toEqual([]);
    await consolePage.close();
  });

  test('a classic dashboard imported from a file shows the values of the data', async () => {
    await consolePage.waitForText('There are no dashboards yet.');
    await consolePage.page.getByLabel('Classic dashboard (JSON)').setInputFiles(example);
    await consolePage.button('Import and migrate').click();
    await consolePage.page.getByRole('heading', { level: 1, name: 'Weather of Seattle' }).first().waitFor();
    dashboardId = /#dashboard\/([\da-f]+)/.exec(consolePage.page.url())?.[1] ?? '';
    expect(dashboardId).not.toBe('');

    await widget('Days').getByText('1,461').waitFor();
    const warm = days.filter(({ high }) => high >= 25).length;
    await widget('Warm days').getByText(`${warm} days`).waitFor();
    await widget('Share of warm days').getByText(`${warm} of 1461 days`).waitFor();

    const byWeather = Object.entries(countBy(days, ({ weather }) => weather));
    expect((await readDataRows('Days by weather')).toSorted()).toEqual(
      byWeather.map(([name, count]) => [name, String(count)]).toSorted(),
    );
    for (const [name, count] of byWeather) {
      expect(await readDescription('Days by weather')).toContain(`${name} is ${count}`);
      expect(await readDescription('Kinds of weather')).toContain(`${name} is ${count}`);
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
      expect(await readDescription('Rain of years')).toContain(`${year} is ${millimetres}`);

    const bins = countBy(days, ({ high }) => String(Math.floor(high / 5) * 5));
    for (const [from, count] of Object.entries(bins))
      expect(await readDescription('How warm days are')).toContain(`${from} is ${count}`);

    const steps = [
      ['All days', 0],
      ['Some rain', 0.1],
      ['5 mm and more', 5],
      ['20 mm and more', 20],
    ] as const;
    expect(await readDataRows('How much it rains')).toEqual(
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
    await widget('Where it was measured').getByText('Shown without a background map').waitFor();
    await widget('States').getByText('Shown as a table').waitFor();
    await waitForCount(consolePage.page.locator('.drawing-area svg'), 10);
    expect(await consolePage.page.getByRole('alert').allTextContents()).toEqual([]);
  });

  test('filters change the data of the widgets', async () => {
    await consolePage.goTo(`#dashboard/${dashboardId}`);
    await widget('Days').getByText('1,461').waitFor();
    await consolePage.page.locator('.several summary').click();
    for (const year of ['2012', '2013', '2015'])
      await consolePage.page.getByRole('checkbox', { name: year }).uncheck();
    await widget('Days').getByText('365', { exact: true }).waitFor();
    await widget('Rain of years')
      .locator('.drawing-area[aria-label*=": "]:not([aria-label*="2012 is"])')
      .waitFor();
    await consolePage.page.getByLabel('Warm from °C').fill('30');
    await consolePage.page.getByLabel('Warm from °C').press('Enter');
    const hot = days.filter(({ date, high }) => date.startsWith('2014') && high >= 30).length;
    await widget('Warm days').getByText(`${hot} days`).waitFor();
    await consolePage.page.getByLabel('Weather is like').fill('hail');
    await consolePage.page.getByLabel('Weather is like').press('Enter');
    await widget('Kinds of weather').getByText('The query returned no rows.').waitFor();
    await consolePage.page.getByLabel('Weather is like').fill("o' OR 1=1 --");
    await consolePage.page.getByLabel('Weather is like').press('Enter');
    await widget('Days by weather').getByText('The query returned no rows.').waitFor();
    expect(await consolePage.page.getByRole('alert').allTextContents()).toEqual([]);
  });

  test('a failing query shows its error, markup stays inert, and migration warnings are listed', async () => {
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
    await consolePage.goTo(`#dashboard/${dashboard_id}`);
    await widget('Broken')
      .getByText(/Table with name nowhere does not exist/)
      .waitFor();
    await widget('Values').getByRole('cell', { name: attack }).waitFor();
    await consolePage.page.locator('strong', { hasText: 'bold' }).waitFor();
    await consolePage.page.locator('.drawing-area svg').waitFor();
    await consolePage.page.locator('.drawing-area').hover();
    await consolePage.page.getByText(/The migration approximated/).click();
    await consolePage.waitForText(/has no counterpart in the modern format/);
    expect(await consolePage.page.evaluate(() => 'owned' in globalThis)).toBe(false);
    expect(await consolePage.page.locator('a[href^="javascript"]').count()).toBe(0);
  });

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 400],
    ['dark', 400],
  ] as const)(
    'a dashboard passes axe and fits the screen: %s, %i pixels wide',
    async (colorScheme, width) => {
      await consolePage.page.emulateMedia({ colorScheme });
      await consolePage.page.setViewportSize({ width, height: 900 });
      await consolePage.goTo(`#dashboard/${dashboardId}`);
      await waitForCount(consolePage.page.locator('.drawing-area[aria-label*=": "] svg'), 10);
      await widget('Every day').getByRole('table').waitFor();
      expect(await consolePage.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        width,
      );
      await consolePage.page.evaluate(axe);
      const violations = await consolePage.page.evaluate(
        'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ target }) => target).join(", ")}`))',
      );
      expect(violations).toEqual([]);
    },
  );
});
