/** Escaping of text in templates. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeHtml, html, trustedMarkup } from '../../../../../engine/run/notebook-page/markup.ts';

test.each([
  [
    'an element',
    '</script><script>alert(1)</script>',
    '&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;',
  ],
  ['quotes', `"a" 'b'`, '&quot;a&quot; &#39;b&#39;'],
  ['an entity', '&lt;', '&amp;lt;'],
  ['control characters', 'a\0b\u001B\u007F\u0085', 'a␀b␛␡\uFFFD'],
  ['white space', 'a\tb\r\nc', 'a\tb\r\nc'],
  ['half a surrogate pair', 'a\uD800b', 'a\uFFFDb'],
  ['letters of all sorts', 'ä € 😀', 'ä € 😀'],
])('%s is escaped', (_, text, shown) => {
  expect(escapeHtml(text)).toBe(shown);
});

test('a template escapes text and numbers, keeps markup, and renders undefined as nothing', () => {
  const inner = [html`<i>${'<'}</i>`, trustedMarkup('<br>')];
  expect(html`<p title="${'"'}">${1}${undefined}${inner}${html`<b>${'&'}</b>`}</p>`.text).toBe(
    '<p title="&quot;">1<i>&lt;</i><br><b>&amp;</b></p>',
  );
});

test('a random text stays inside its element or attribute', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(escapeHtml(text)).not.toMatch(/[<>"']/);
    }),
  );
});
