/** Tokens of SQL: no character is lost, and text, comments and names are told from code. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { markerName, tokenize, type SqlTokenKind } from '../../../../engine/sql/tokenizer.ts';
import { randomSql } from './random-sql.ts';

const cases: readonly (readonly [string, readonly (readonly [SqlTokenKind, string])[]])[] = [
  [
    "a='it''s'",
    [
      ['word', 'a'],
      ['sign', '='],
      ['text', "'it''s'"],
    ],
  ],
  [
    "'a\\'b' c",
    [
      ['text', "'a\\'b'"],
      ['space', ' '],
      ['word', 'c'],
    ],
  ],
  [
    "r'a\\' b",
    [
      ['text', "r'a\\'"],
      ['space', ' '],
      ['word', 'b'],
    ],
  ],
  [
    "bar'x'",
    [
      ['word', 'bar'],
      ['text', "'x'"],
    ],
  ],
  [
    '"a""b"`c``d`',
    [
      ['text', '"a""b"'],
      ['quoted-name', '`c``d`'],
    ],
  ],
  [
    "-- it's\nx",
    [
      ['comment', "-- it's"],
      ['space', '\n'],
      ['word', 'x'],
    ],
  ],
  [
    '/* a /* b */ c */d',
    [
      ['comment', '/* a /* b */ c */'],
      ['word', 'd'],
    ],
  ],
  [
    "$$it's$$ $a$ $$ $a$",
    [
      ['text', "$$it's$$"],
      ['space', ' '],
      ['text', '$a$ $$ $a$'],
    ],
  ],
  [
    '{{ a b }}{{x}}',
    [
      ['marker', '{{ a b }}'],
      ['marker', '{{x}}'],
    ],
  ],
  ['{{\n a.start }}', [['marker', '{{\n a.start }}']]],
  [
    '{{#if}}',
    [
      ['sign', '{{'],
      ['sign', '#'],
      ['word', 'if'],
      ['sign', '}}'],
    ],
  ],
  [
    '{{ }}',
    [
      ['sign', '{{'],
      ['space', ' '],
      ['sign', '}}'],
    ],
  ],
  [
    '1.5e3.x',
    [
      ['number', '1.5e3'],
      ['sign', '.'],
      ['word', 'x'],
    ],
  ],
  [
    'größe_1::日本',
    [
      ['word', 'größe_1'],
      ['sign', '::'],
      ['word', '日本'],
    ],
  ],
  ["'never ends", [['text', "'never ends"]]],
  ['/* never ends', [['comment', '/* never ends']]],
  ['$$never ends', [['text', '$$never ends']]],
];

test.each(cases)('%s', (sql, tokens) => {
  expect(tokenize(sql).map(({ kind, text }) => [kind, text])).toEqual(tokens);
});

test('a marker is named without its braces and blanks', () => {
  expect(['{{p}}', '{{ p }}', '{{\n a b.start\t}}'].map(markerName)).toEqual(['p', 'p', 'a b.start']);
});

describe('any text', () => {
  test('is its tokens put together', () => {
    fc.assert(
      fc.property(fc.oneof(randomSql, fc.string({ unit: 'binary' })), (sql) => {
        const tokens = tokenize(sql);
        expect(tokens.map(({ text }) => text).join('')).toBe(sql);
        expect(tokens.every(({ text }) => text !== '')).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test('is read once, however hostile', () => {
    for (const piece of [
      '{{',
      '{{ a',
      '{{ a ',
      ' ',
      "'",
      '\\',
      '/*',
      '$a$',
      '$',
      'r',
      '`',
      '(',
      'in (',
      'in(a,',
      '.',
    ]) {
      const sql = piece.repeat(2 ** 18);
      expect(
        tokenize(sql)
          .map(({ text }) => text)
          .join(''),
      ).toBe(sql);
    }
  });
});
