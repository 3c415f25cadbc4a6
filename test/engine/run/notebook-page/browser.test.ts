/** A page in a real browser: it stays inert. Needs a Chromium on this machine; nothing of Runyard does. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { codePage } from '../../../../engine/run/notebook-page/page.ts';
import { cell, notebook } from './samples.ts';

const folders = (process.env['PATH'] ?? '').split(':');
const browser = ['chromium', 'chromium-browser', 'google-chrome'].flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);

test.skipIf(browser === undefined)(`a browser shows the page and runs nothing of it${browser === undefined ? ' (no Chromium on this machine)' : ''}`, async () => {
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
    const { stdout } = await promisify(execFile)(browser ?? '', [
      '--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${join(directory, 'profile')}`, '--virtual-time-budget=2000', '--dump-dom', `file://${directory}/page.html`,
    ], { maxBuffer: 2 ** 24, timeout: 45_000 });
    expect(stdout).toContain('<h1>Head</h1>');
    expect(stdout).toMatch(/^<!DOCTYPE html>\s*<html lang="en">/i);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
});
