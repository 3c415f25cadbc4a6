/** Pages of notebooks: everything that was shown is there, and nothing of it does anything. */
import { describe, expect, test } from 'vitest';
import { notebookNameOf, phaseOf } from '../../../../../engine/run/notebook-page/exported-notebook.ts';
import { formatDuration } from '../../../../../engine/run/notebook-page/time-format.ts';
import { frameHeight } from '../../../../../engine/run/notebook-page/outputs.ts';
import { codePage, dashboardPage } from '../../../../../engine/run/notebook-page/page.ts';
import type { NotebookCell } from '../../../../../engine/run/task-output.ts';
import type { Progress } from '../../../../../engine/run/run.ts';
import {
  finishedCell,
  svgOutput,
  failed,
  exportedNotebook,
  pngOutput,
  running,
  skippedCell,
  notebookStartTime,
  succeeded,
  tableOutput,
  withoutModel,
} from './sample-notebooks.ts';

const error = {
  type: 'error',
  summary: 'ValueError: no',
  trace: 'Traceback\n  Cell 2\nValueError: no',
} as const;

describe('the head', () => {
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
      'over its time',
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

  test('a failure leads to its cell', () => {
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

describe('cells', () => {
  test('code is coloured, Markdown is laid out, titles and durations are shown', () => {
    const page = codePage(
      exportedNotebook([
        finishedCell(1, '# Head\n\n| a |\n|---|\n| *b* |\n\n```python\nimport os\n```', [], {
          language: 'markdown',
        }),
        finishedCell(2, 'import os  # files', [], { title: 'Load <it>' }),
      ]),
    );
    expect(page).toContain('<h1>Head</h1>');
    expect(page).toContain('<td><em>b</em></td>');
    expect(page.match(/<span class="hljs-keyword">import<\/span> os/g)).toHaveLength(2);
    expect(page).toContain('<span class="hljs-comment"># files</span>');
    expect(page).toContain('<h2>Load &lt;it&gt;</h2>');
    expect(page).toContain('1.5 s');
  });

  test('outputs come in their order, errors with their trace, and colours of terminals are kept', () => {
    const page = codePage(
      exportedNotebook([
        finishedCell(1, 'x', [
          { type: 'stdout', data: 'first' },
          { type: 'stderr', data: 'second' },
          { type: 'text', data: 'third' },
          { type: 'html', data: '<b>fourth</b>' },
          { type: 'error', summary: 'fifth', trace: '\u001B[31msixth\u001B[0m' },
        ]),
      ]),
    );
    const found = [
      '>first<',
      '>second<',
      '>third<',
      '&lt;b&gt;fourth&lt;/b&gt;',
      '<strong>fifth</strong>',
      '<span class="t-red">sixth</span>',
    ].map((part) => page.indexOf(part));
    expect(found).not.toContain(-1);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
  });

  test('a table has its columns with their types, its rows, and what is not shown', () => {
    const page = codePage(
      exportedNotebook([
        finishedCell(1, 'x', [
          tableOutput(
            [
              ['Zürich', 1.5],
              ['<b>Bern</b>', null],
            ],
            1_234_567,
          ),
        ]),
        finishedCell(2, 'y', [tableOutput([['Genève', 2]])]),
      ]),
    );
    for (const part of [
      '<th scope="col">station<small>VARCHAR</small></th><th scope="col" class="num">rain<small>DOUBLE</small></th>',
      '<tr><td>Zürich</td><td class="num">1.5</td></tr>',
      '<td>&lt;b&gt;Bern&lt;/b&gt;</td><td class="null">null</td>',
      'The first 2 of 1,234,567 rows, 2 columns',
      '1 row, 2 columns',
    ])
      expect(page).toContain(part);
  });

  test('a picture stands in the page, and what is no base64 in it is left out', () => {
    const page = codePage(
      exportedNotebook([
        finishedCell(1, 'x', [
          pngOutput,
          { type: 'image', mime: 'image/svg+xml', data: 'PHN2\nZy8+"><script>' },
        ]),
      ]),
    );
    expect(page).toContain('<img src="data:image/png;base64,iVBORw0KGgo');
    expect(page).toContain(
      '<img src="data:image/svg+xml;base64,PHN2Zy8+script" alt="Picture shown by cell 1">',
    );
  });

  test.each<[NotebookCell['language'], string, string, string]>([
    ['sql', 'SELECT 1', '<span class="hljs-keyword">SELECT</span>', 'SQL'],
    ['javascript', 'const a = 1;', '<span class="hljs-keyword">const</span>', 'JavaScript'],
    ['shell', 'echo "$HOME"', '<span class="hljs-built_in">echo</span>', 'Shell'],
    ['pip', 'install pandas', 'install pandas', 'pip'],
    ['run', './setup', './setup', 'Run'],
  ])('%s in a Python notebook is coloured and says what it is', (language, source, coloured, name) => {
    const page = codePage(exportedNotebook([finishedCell(1, source, [], { language })]));
    expect(page).toContain(coloured);
    expect(page).toContain(`<span class="language">${name}</span>`);
  });

  test('the language of the notebook itself is not said again', () => {
    const page = withoutModel(
      codePage(
        exportedNotebook(
          [finishedCell(1, 'SELECT 1', [], { language: 'sql' }), finishedCell(2, 'print(1)')],
          {},
          { language: 'sql' },
        ),
      ),
    );
    expect(page.match(/class="language">\w+/g)).toEqual(['class="language">Python']);
  });

  test('an error that has no more to say than its summary says it once', () => {
    const page = withoutModel(
      codePage(
        exportedNotebook([finishedCell(1, 'x', [{ type: 'error', summary: 'killed', trace: 'killed' }])]),
      ),
    );
    expect(page.match(/killed/g)).toHaveLength(1);
  });

  const { finishTime: _, ...half } = finishedCell(3, 'z', [], { status: 'skipped' });
  test.each<[string, NotebookCell, boolean, string]>([
    ['ran', finishedCell(1, 'x'), false, 'finished'],
    ['failed', finishedCell(1, 'x', [], { status: 'failed' }), false, 'failed'],
    ['has begun in a run that is under way', half, true, 'running'],
    ['has begun in a run that is over', half, false, 'interrupted'],
    ['was not reached in a run that is under way', skippedCell(1, 'x'), true, 'waiting'],
    ['was not reached in a run that is over', skippedCell(1, 'x'), false, 'skipped'],
  ])('a cell that %s (%#)', (_fact, one, active, phase) => {
    expect(phaseOf(one, active)).toBe(phase);
  });

  test('those that were not reached are marked', () => {
    expect(codePage(exportedNotebook([skippedCell(1, 'x')], { progress: failed }))).toContain(
      '<span class="label">Not run</span>',
    );
    expect(codePage(exportedNotebook([half], { progress: running }))).toContain(
      '<span class="label">Running</span>',
    );
  });
});

describe('a notebook without a report', () => {
  test('shows its source when there is a snapshot', () => {
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

  test('says why it failed when there is nothing else', () => {
    const page = codePage(
      exportedNotebook([], { report: undefined, progress: failed, failure: 'Notebook /nb was not found.' }),
    );
    expect(page).toContain('Notebook /nb was not found.');
    expect(page).toContain('There is nothing to show: the notebook did not start.');
  });

  test('says what is wrong with a report that cannot be read', () => {
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

  test('has values and HTML with their titles, and neither code nor logs', () => {
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

  test('of a notebook that showed nothing, or never started, says so', () => {
    for (const one of [exportedNotebook([]), exportedNotebook([], { report: undefined, source: 'code()' })]) {
      const page = dashboardPage(one);
      expect(page).toContain('No cell has shown a table, a picture or a value.');
      expect(page).not.toContain('code()');
    }
  });
});

const hostile = `</script></style></pre></iframe><script>alert(1)</script><img src=x onerror="alert(2)" onload='alert(3)'> <!-- ]]> \0 \u001B[31m \u202E \uD800 " onmouseover="alert(4)`;

describe('hostile text', () => {
  const everywhere = exportedNotebook(
    [
      finishedCell(
        1,
        hostile,
        [
          { type: 'stdout', data: hostile },
          { type: 'stderr', data: hostile },
          { type: 'text', data: hostile },
          { type: 'html', data: hostile },
          { type: 'error', summary: hostile, trace: `x${hostile}` },
          { type: 'table', columns: [{ name: hostile, type: hostile }], rows: [[hostile]] },
          svgOutput(hostile),
          { type: 'image', mime: 'image/png', data: hostile },
        ],
        { title: hostile },
      ),
      finishedCell(3, hostile, [], { language: 'sql' }),
      finishedCell(4, hostile, [], { language: 'javascript' }),
      finishedCell(5, hostile, [], { language: 'shell' }),
      finishedCell(6, hostile, [], { language: 'run' }),
      finishedCell(
        2,
        `${hostile}\n\n[a](javascript:alert(1)) ![b](javascript:alert(1)) <img src=x onerror=alert(1)>\n\n\`\`\`"><script>alert(1)</script>\n${hostile}\n\`\`\``,
        [],
        { language: 'markdown' },
      ),
    ],
    {
      path: `/${hostile}`,
      jobName: hostile,
      taskKey: hostile,
      parameters: { [hostile]: hostile },
      failure: hostile,
      progress: failed,
    },
    { exitValue: hostile, error: { summary: hostile, trace: hostile, cell: 1 } },
  );

  test.each([
    ['code', codePage(everywhere)],
    ['dashboard', dashboardPage(everywhere)],
  ])('in every field of a %s page makes no element of its own', (_, page) => {
    const tags = [...withoutModel(page).matchAll(/<\/?([a-z0-9]+)([^>]*)>/gi)];
    const names = new Set(tags.map(([, name]) => name));
    // The pictures are ours: each has its text in it, and nothing else that could act.
    expect(
      tags
        .filter(([, name]) => name === 'img')
        .map(([, , attributes = '']) => attributes.replace(/base64,[A-Za-z0-9+/=]*/, '')),
    ).toEqual([
      ' src="data:image/svg+xml;" alt="Picture shown by cell 1"',
      ' src="data:image/png;" alt="Picture shown by cell 1"',
    ]);
    for (const name of ['script', 'object', 'embed', 'form', 'link', 'base'])
      expect(names).not.toContain(name);
    expect(
      tags.filter(([, , attributes = '']) =>
        /\son\w+\s*=|javascript:/i.test(attributes.replaceAll(/"[^"]*"/g, '""')),
      ),
    ).toEqual([]);
    expect(page.search(/(href|src)="javascript:/i)).toBe(-1);
    expect(page.search(/(?![\t\n\r])\p{Cc}/u)).toBe(-1);
    expect(page.match(/<script>/g)).toHaveLength(1);
  });

  test('a page may run nothing and load nothing, and HTML of users stands in a frame that may do nothing', () => {
    const page = codePage(everywhere);
    expect(page).toMatch(
      /<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; script-src &#39;none&#39;;/,
    );
    expect(page.match(/<iframe [^>]*sandbox="" /g)).toHaveLength(1);
    expect(page.match(/<iframe/g)).toHaveLength(1);
    expect(page).toContain('This output contains scripts. They do not run here.');
  });
});

describe('size', () => {
  test.each(['x', '"', '<', '\0', '\u001B[31m', '\r', '😀', '\n'])('8 MB of %j become a page', (unit) => {
    const data = unit.repeat(Math.floor((8 * 2 ** 20) / Buffer.byteLength(unit)));
    const page = codePage(exportedNotebook([finishedCell(1, 'x', [{ type: 'stdout', data }])]));
    expect(page.length).toBeGreaterThan(unit === '\r' ? 0 : data.length / 10);
    expect(page.endsWith('</html>\n')).toBe(true);
  });

  test('a table of 8 MB becomes a page', () => {
    const rows = Array.from({ length: 80_000 }, (_, index) => [`<${'x'.repeat(90)}>`, index]);
    expect(
      codePage(exportedNotebook([finishedCell(1, 'x', [tableOutput(rows)])])).match(/<tr><td>/g),
    ).toHaveLength(80_000);
  });

  test.each(['<', '<table', '<img ', '<img height', 'height=', '<a '])(
    '8 MB of HTML made of %j become a page',
    (unit) => {
      const data = unit.repeat(Math.floor((8 * 2 ** 20) / unit.length));
      expect(
        codePage(exportedNotebook([finishedCell(1, 'x', [{ type: 'html', data }])])).length,
      ).toBeGreaterThan(data.length);
    },
  );

  test('8 MB of code, Markdown and HTML are shown, coloured or not', () => {
    const long = '# *a* "b" <c> \n'.repeat(2 ** 19);
    const page = codePage(
      exportedNotebook([
        finishedCell(1, long),
        finishedCell(2, long, [], { language: 'markdown' }),
        finishedCell(3, '', [{ type: 'html', data: long }]),
      ]),
    );
    expect(page.length).toBeGreaterThan(3 * long.length);
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
  [
    'a table with other things in its cells',
    '<tr><td><div></div><ul><li></li></ul></td></tr>'.repeat(10),
    336,
  ],
  ['a table of a thousand rows', '<tr></tr>'.repeat(1_000), 600],
  ['a picture of unknown size', '<img src="data:x">', 416],
  ['a picture that says how high it is', '<svg width="5" height="120"></svg>', 156],
])('the frame of %s', (_, content, height) => {
  expect(frameHeight(content)).toBe(height);
});
