/** Pages of notebooks: header, notebooks without a report, and dashboards. */
import { describe, expect, test } from 'vitest';
import { notebookNameOf } from '../../../../../engine/run/notebook-page/exported-notebook.ts';
import { formatDuration } from '../../../../../engine/run/notebook-page/time-format.ts';
import { frameHeight } from '../../../../../engine/run/notebook-page/outputs.ts';
import { codePage, dashboardPage } from '../../../../../engine/run/notebook-page/page.ts';
import type { Progress } from '../../../../../engine/run/run.ts';
import {
  failed,
  finishedCell,
  exportedNotebook,
  notebookStartTime,
  pngOutput,
  running,
  succeeded,
  tableOutput,
  withoutModel,
} from './sample-notebooks.ts';

const error = {
  type: 'error',
  summary: 'ValueError: no',
  trace: 'Traceback\n  Cell 2\nValueError: no',
} as const;

describe('the header of a page', () => {
  test('names the notebook, its run, its state, its times and its parameters', () => {
    const page = withoutModel(codePage(exportedNotebook([finishedCell(1, 'x')])));
    for (const part of [
      '<title>rain · run 907</title>',
      '/team/rain',
      'Succeeded',
      '<dd>907</dd>',
      '<dd>nightly</dd>',
      '2026-02-02 02:40:00 UTC',
      '1 min 05 s',
      '<th scope="row">year</th><td>2013</td>',
    ]) {
      expect(page).toContain(part);
    }
  });

  test.each<[string, Progress, string]>([
    ['failed', failed, 'Failed'],
    ['running', running, 'Running'],
    [
      'stopped',
      { ...succeeded, state: 'TERMINATED', result: 'CANCELED', endTime: notebookStartTime },
      'Cancelled',
    ],
    [
      'timed out',
      { ...succeeded, state: 'TERMINATED', result: 'TIMEDOUT', endTime: notebookStartTime },
      'Timed out',
    ],
    [
      'lost',
      { ...succeeded, state: 'INTERNAL_ERROR', result: undefined, endTime: notebookStartTime },
      'Internal error',
    ],
    ['skipped', { ...succeeded, state: 'SKIPPED', result: undefined, endTime: notebookStartTime }, 'Skipped'],
  ])('a run that is %s says so', (_, progress, words) => {
    expect(codePage(exportedNotebook([], { progress }))).toContain(`${words}</span></h1>`);
  });

  test('a failure links to its cell', () => {
    const page = codePage(
      exportedNotebook(
        [finishedCell(1, 'x'), finishedCell(2, 'y', [error], { status: 'failed' })],
        { progress: failed },
        { error: { ...error, cell: 2 } },
      ),
    );
    expect(page).toContain('<a href="#cell-2">Cell 2</a> failed: ValueError: no');
    expect(page).toContain('id="cell-2"');
  });

  test.each([
    ['/team/rain', 'rain'],
    ['/team/rain.py', 'rain'],
    ['/rain.IPYNB', 'rain'],
    ['rain', 'rain'],
    ['/a/.py', '.py'],
    ['/', '/'],
    ['', ''],
  ])('the notebook %j is called %j', (path, name) => {
    expect(notebookNameOf({ path })).toBe(name);
  });
});

describe('a notebook without a report', () => {
  test('shows the source of its snapshot', () => {
    expect(codePage(exportedNotebook([], { report: undefined, source: 'import os' }))).toContain(
      '<span class="hljs-keyword">import</span> os',
    );
    expect(codePage(exportedNotebook([], { report: undefined, source: '-- all\nSELECT 1' }))).toContain(
      '<span class="hljs-keyword">SELECT</span>',
    );
    expect(codePage(exportedNotebook([], { report: undefined, source: '// all\nlet a' }))).toContain(
      '<span class="hljs-keyword">let</span>',
    );
  });

  test('shows the reason of the failure', () => {
    const page = codePage(
      exportedNotebook([], { report: undefined, progress: failed, failure: 'Notebook /nb was not found.' }),
    );
    expect(page).toContain('Notebook /nb was not found.');
    expect(page).toContain('There is nothing to show: the notebook did not start.');
  });

  test('shows the error of an unreadable report', () => {
    expect(
      codePage(
        exportedNotebook(
          [],
          { progress: failed },
          { error: { summary: 'The report cannot be read.', trace: '', cell: 0 } },
        ),
      ),
    ).toContain('<strong>The report cannot be read.</strong>');
  });
});

describe('a dashboard', () => {
  const cells = [
    finishedCell(1, '# Head', [], { language: 'markdown' }),
    finishedCell(
      2,
      'secret_code()',
      [
        { type: 'stdout', data: 'log line' },
        { type: 'html', data: '<b>table</b>' },
        { type: 'text', data: '42' },
        tableOutput([['Zürich', 1.5]]),
        pngOutput,
      ],
      { title: 'Rain' },
    ),
    finishedCell(3, 'unseen()', [{ type: 'stderr', data: 'warned' }]),
  ];

  test('shows values and HTML with titles, and neither code nor logs', () => {
    const page = withoutModel(dashboardPage(exportedNotebook(cells)));
    for (const part of [
      '<h2>Rain</h2>',
      '&lt;b&gt;table&lt;/b&gt;',
      '>42<',
      '<td>Zürich</td>',
      '<img src="data:image/png;',
    ])
      expect(page).toContain(part);
    for (const part of ['secret_code', 'log line', 'warned', '# Head', 'unseen'])
      expect(page).not.toContain(part);
  });

  test('of a notebook without results has a hint', () => {
    for (const one of [exportedNotebook([]), exportedNotebook([], { report: undefined, source: 'code()' })]) {
      const page = dashboardPage(one);
      expect(page).toContain('No cell has shown a table, a picture or a value.');
      expect(page).not.toContain('code()');
    }
  });
});

test.each([
  [0, '0 ms'],
  [340, '340 ms'],
  [999, '999 ms'],
  [1_234, '1.2 s'],
  [59_949, '59.9 s'],
  [59_950, '1 min 00 s'],
  [185_000, '3 min 05 s'],
  [3_599_600, '1 h 00 min'],
  [7_620_000, '2 h 07 min'],
  [-5, '0 ms'],
])('%i ms are %s', (ms, words) => {
  expect(formatDuration(ms)).toBe(words);
});

test.each([
  ['one line', 'hello', 60],
  ['a table of ten rows', '<tr></tr>'.repeat(10), 336],
  ['a table with elements in its cells', '<tr><td><div></div><ul><li></li></ul></td></tr>'.repeat(10), 336],
  ['a table of a thousand rows', '<tr></tr>'.repeat(1_000), 600],
  ['a picture of unknown size', '<img src="data:x">', 416],
  ['a picture with a height', '<svg width="5" height="120"></svg>', 156],
])('the frame of %s', (_, content, height) => {
  expect(frameHeight(content)).toBe(height);
});
