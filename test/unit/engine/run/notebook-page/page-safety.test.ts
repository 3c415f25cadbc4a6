/** Pages of notebooks: hostile text stays inert, and large outputs are rendered. */
import { describe, expect, test } from 'vitest';
import { codePage, dashboardPage } from '../../../../../engine/run/notebook-page/page.ts';
import {
  finishedCell,
  svgOutput,
  failed,
  exportedNotebook,
  tableOutput,
  withoutModel,
} from './sample-notebooks.ts';

const hostile = `</script></style></pre></iframe><script>alert(1)</script><img src=x onerror="alert(2)" onload='alert(3)'> <!-- ]]> \0 \u001B[31m \u202E \uD800 " onmouseover="alert(4)`;

describe('a page of hostile text', () => {
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
    // Only these picture elements are allowed; none of them is active.
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

  test('the policy of a page forbids everything, and HTML of users is in a sandboxed frame', () => {
    const page = codePage(everywhere);
    expect(page).toMatch(
      /<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; script-src &#39;none&#39;;/,
    );
    expect(page.match(/<iframe [^>]*sandbox="" /g)).toHaveLength(1);
    expect(page.match(/<iframe/g)).toHaveLength(1);
    expect(page).toContain('This output contains scripts. They do not run here.');
  });
});

describe('a page of large outputs', () => {
  test.each(['x', '"', '<', '\0', '\u001B[31m', '\r', '😀', '\n'])('8 MB of %j are rendered', (unit) => {
    const data = unit.repeat(Math.floor((8 * 2 ** 20) / Buffer.byteLength(unit)));
    const page = codePage(exportedNotebook([finishedCell(1, 'x', [{ type: 'stdout', data }])]));
    expect(page.length).toBeGreaterThan(unit === '\r' ? 0 : data.length / 10);
    expect(page.endsWith('</html>\n')).toBe(true);
  });

  test('a table of 8 MB is rendered', () => {
    const rows = Array.from({ length: 80_000 }, (_, index) => [`<${'x'.repeat(90)}>`, index]);
    expect(
      codePage(exportedNotebook([finishedCell(1, 'x', [tableOutput(rows)])])).match(/<tr><td>/g),
    ).toHaveLength(80_000);
  });

  test.each(['<', '<table', '<img ', '<img height', 'height=', '<a '])(
    '8 MB of HTML made of %j are rendered',
    (unit) => {
      const data = unit.repeat(Math.floor((8 * 2 ** 20) / unit.length));
      expect(
        codePage(exportedNotebook([finishedCell(1, 'x', [{ type: 'html', data }])])).length,
      ).toBeGreaterThan(data.length);
    },
  );

  test('8 MB of code, Markdown and HTML are rendered', () => {
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
