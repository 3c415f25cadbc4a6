/** A page in a real browser: it stays inert. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codePage } from '../../../../engine/run/notebook-page/page.ts';
import { openBrowser } from '../../../setup/browser.ts';
import { cell, notebook } from './samples.ts';

const browser = await openBrowser();

test.skipIf(typeof browser === 'string')(`a browser shows the page and runs nothing of it${typeof browser === 'string' ? ` (left out: ${browser})` : ''}`, async () => {
  if (typeof browser === 'string') throw new Error(browser);
  const attack = 'document.documentElement.setAttribute("data-owned", "yes")';
  const markup = `</script><script>${attack}</script><img src=x onerror='${attack}'><iframe srcdoc="<script>parent.${attack}</script>"></iframe>`;
  const page = codePage(notebook([
    cell(1, markup, [{ type: 'html', data: `<b>shown</b>${markup.replaceAll('document', 'top.document')}` }, { type: 'stdout', data: markup }], { title: markup }),
    cell(2, `# Head\n\n${markup}`, [], { language: 'markdown' }),
  ], { path: `/${markup}` }));
  // The model's own line would do harm here if it were run at all.
  const probe = page.replace('<script>var', `<script>${attack};var`);
  const directory = await mkdtemp(join(tmpdir(), 'runyard-page-'));
  try {
    await writeFile(join(directory, 'page.html'), probe);
    const shown = await browser.newPage();
    await shown.goto(`file://${directory}/page.html`);
    await shown.getByRole('heading', { name: 'Head' }).waitFor();
    expect(await shown.evaluate('document.documentElement.dataset.owned')).toBeUndefined();
  } finally {
    await browser.close();
    await rm(directory, { recursive: true, force: true });
  }
});
