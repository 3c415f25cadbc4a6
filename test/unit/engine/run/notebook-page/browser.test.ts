/** A page in a real browser: it needs no script and no network, and stays inert. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { codePage } from '../../../../../engine/run/notebook-page/page.ts';
import { openBrowser } from '../../../../harness/browser.ts';
import { finishedCell, svgOutput, exportedNotebook, pngOutput, tableOutput } from './sample-notebooks.ts';

const browser = await openBrowser();
afterAll(async () => {
  if (typeof browser !== 'string') await browser.close();
});

/** Opens a page from a file, like a recipient of an export. */
async function open(
  html: string,
  options: BrowserContextOptions,
  look: (page: Page) => Promise<void>,
): Promise<void> {
  if (typeof browser === 'string') throw new Error(browser);
  const directory = await mkdtemp(join(tmpdir(), 'runyard-page-'));
  const context = await browser.newContext(options);
  try {
    await writeFile(join(directory, 'page.html'), html);
    const page = await context.newPage();
    await page.goto(`file://${directory}/page.html`);
    await look(page);
  } finally {
    await context.close();
    await rm(directory, { recursive: true, force: true });
  }
}

const attack = 'document.documentElement.setAttribute("data-owned", "yes")';
const markup = `</script><script>${attack}</script><img src=x onerror='${attack}'><iframe srcdoc="<script>parent.${attack}</script>"></iframe>`;

describe.skipIf(typeof browser === 'string')(
  `in a browser${typeof browser === 'string' ? ` (left out: ${browser})` : ''}`,
  () => {
    test('a page without scripts and network shows code, tables, pictures and HTML', async () => {
      const html = codePage(
        exportedNotebook([
          finishedCell(
            1,
            'SELECT station, rain FROM days',
            [
              tableOutput([
                ['Zürich', 1.5],
                ['<b>Bern</b>', null],
              ]),
            ],
            { language: 'sql', title: 'Rain by day' },
          ),
          finishedCell(2, 'plot()', [
            pngOutput,
            svgOutput(
              '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="40" height="30"/></svg>',
            ),
          ]),
          finishedCell(3, 'show()', [
            { type: 'html', data: '<b>framed</b>' },
            { type: 'stdout', data: '\u001B[31mred\u001B[0m' },
          ]),
        ]),
      );
      await open(html, { javaScriptEnabled: false, offline: true }, async (page) => {
        await page.getByRole('heading', { name: 'Rain by day' }).waitFor();
        expect(
          await page.getByRole('group', { name: 'Table of cell 1' }).getByRole('row').allTextContents(),
        ).toEqual(['stationVARCHARrainDOUBLE', 'Zürich1.5', '<b>Bern</b>null']);
        expect(
          await page.evaluate('Array.from(document.images, (each) => [each.complete, each.naturalWidth])'),
        ).toEqual([
          [true, 1],
          [true, 40],
        ]);
        await page.frameLocator('iframe').getByText('framed').waitFor();
        const colours = await page.evaluate(
          '[".t-red", ".stdout", ".hljs-keyword", ".code"].map((each) => getComputedStyle(document.querySelector(each)).color)',
        );
        expect(new Set(colours as string[]).size).toBe(3);
      });
    });

    test('a page runs no script, wherever a notebook puts it', async () => {
      const page = codePage(
        exportedNotebook(
          [
            finishedCell(
              1,
              markup,
              [
                { type: 'html', data: `<b>shown</b>${markup.replaceAll('document', 'top.document')}` },
                { type: 'stdout', data: markup },
              ],
              { title: markup },
            ),
            finishedCell(2, `# Head\n\n${markup}`, [], { language: 'markdown' }),
            finishedCell(
              3,
              markup,
              [
                tableOutput([[markup, 1]]),
                svgOutput(
                  `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload='top.${attack}'><script>top.${attack}</script></svg>`,
                ),
              ],
              { language: 'javascript' },
            ),
          ],
          { path: `/${markup}` },
        ),
      );
      // The model's own line would do harm here if it were run at all.
      await open(page.replace('<script>var', `<script>${attack};var`), {}, async (shown) => {
        await shown.getByRole('heading', { name: 'Head' }).waitFor();
        expect(await shown.evaluate('document.documentElement.dataset.owned')).toBeUndefined();
      });
    });
  },
);
