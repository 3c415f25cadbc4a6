/** Cells on pages of notebooks: code, Markdown, outputs, and phases. */
import { describe, expect, test } from 'vitest';
import { phaseOf } from '../../../../../engine/run/notebook-page/exported-notebook.ts';
import { codePage } from '../../../../../engine/run/notebook-page/page.ts';
import type { NotebookCell } from '../../../../../engine/run/task-output.ts';
import {
  failed,
  finishedCell,
  exportedNotebook,
  pngOutput,
  running,
  skippedCell,
  tableOutput,
  withoutModel,
} from './sample-notebooks.ts';

describe('cells', () => {
  test('a page has highlighted code, rendered Markdown, titles and durations', () => {
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

  test('outputs are in order, errors have their trace, and terminal colours are kept', () => {
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

  test('a table has columns with types, rows, and the number of omitted rows', () => {
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

  test('a picture is inline, without characters outside of base64', () => {
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

  test('a cell in the language of the notebook has no language label', () => {
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

  test('an error whose trace equals its summary is shown once', () => {
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
    ['has started in an active run', half, true, 'running'],
    ['has started in a finished run', half, false, 'interrupted'],
    ['was not reached in an active run', skippedCell(1, 'x'), true, 'waiting'],
    ['was not reached in a finished run', skippedCell(1, 'x'), false, 'skipped'],
  ])('a cell that %s (%#)', (_fact, one, active, phase) => {
    expect(phaseOf(one, active)).toBe(phase);
  });

  test('cells that were not reached are labelled', () => {
    expect(codePage(exportedNotebook([skippedCell(1, 'x')], { progress: failed }))).toContain(
      '<span class="label">Not run</span>',
    );
    expect(codePage(exportedNotebook([half], { progress: running }))).toContain(
      '<span class="label">Running</span>',
    );
  });
});
