/** Rendering of terminal output as HTML. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderTerminalText } from '../../../../../engine/run/notebook-page/terminal-text.ts';

const e = '\u001B';

test.each([
  ['plain text', 'a < b', 'a &lt; b'],
  ['a colour', `${e}[31mred${e}[0m plain`, '<span class="t-red">red</span> plain'],
  ['a bright colour', `${e}[92mok`, '<span class="t-green">ok</span>'],
  [
    'bold and a colour, one after the other',
    `${e}[1mB${e}[0;34mb${e}[39mp`,
    '<span class="t-bold">B</span><span class="t-blue">b</span>p',
  ],
  [
    'bold before normal weight',
    `${e}[1;31ma${e}[22mb${e}[mc`,
    '<span class="t-bold t-red">a</span><span class="t-red">b</span>c',
  ],
  ['colours beyond sixteen', `${e}[38;5;31ma${e}[48;2;1;31;32mb`, 'ab'],
  ['markup in a colour', `${e}[31m<script>`, '<span class="t-red">&lt;script&gt;</span>'],
  ['moves of the cursor and cleared screens', `a${e}[2J${e}[1;1Hb${e}[?25lc`, 'abc'],
  ['a window title', `${e}]0;evil\u0007text${e}]0;unended`, 'text'],
  ['other escape sequences', `${e}cab${e}`, 'ab'],
  ['an incomplete control sequence', `a${e}[31`, 'a31'],
  ['a progress bar', '10%\r50%\r100%\ndone\r\nend\r', '100%\ndone\nend'],
  ['null bytes', 'a\0b', 'a␀b'],
])('%s', (_, text, shown) => {
  expect(renderTerminalText(text).text).toBe(shown);
});

test('a random text renders without markup and escape sequences', () => {
  const pieces = fc.constantFrom(
    e,
    '[',
    ']',
    '31m',
    '1;32m',
    '\r',
    '\n',
    '\u0007',
    '<',
    '"',
    'x',
    '\0',
    '\\',
  );
  fc.assert(
    fc.property(fc.array(pieces), (parts) => {
      const shown = renderTerminalText(parts.join('')).text;
      expect(shown).not.toContain(e);
      expect(shown.replaceAll(/<span class="[a-z -]+">|<\/span>/g, '')).not.toMatch(/[<>"']/);
    }),
  );
});
