/** Tokenizer of SQL: no character is lost; literals, comments, names and parameters are recognised. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  markerName,
  tokenize,
  type SqlDialect,
  type SqlToken,
  type SqlTokenKind,
} from '../../../../engine/sql/tokenizer.ts';
import { randomSql } from '../dashboard/random-sql.ts';

type TokenCase = readonly [sql: string, tokens: readonly (readonly [SqlTokenKind, string])[]];

const sparkCases: readonly TokenCase[] = [
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

const duckdbCases: readonly TokenCase[] = [
  [
    `'a\\' "b""c"`,
    [
      ['text', "'a\\'"],
      ['space', ' '],
      ['quoted-name', '"b""c"'],
    ],
  ],
  [
    "E'a\\'b' r'x'",
    [
      ['text', "E'a\\'b'"],
      ['space', ' '],
      ['word', 'r'],
      ['text', "'x'"],
    ],
  ],
  [
    'a$b=:c',
    [
      ['word', 'a$b'],
      ['sign', '='],
      ['parameter', ':c'],
    ],
  ],
  [
    'a[:b]',
    [
      ['word', 'a'],
      ['sign', '['],
      ['sign', ':'],
      ['word', 'b'],
      ['sign', ']'],
    ],
  ],
  [
    '[:a]',
    [
      ['sign', '['],
      ['parameter', ':a'],
      ['sign', ']'],
    ],
  ],
  [
    '{{ a }}:b',
    [
      ['sign', '{{'],
      ['space', ' '],
      ['word', 'a'],
      ['space', ' '],
      ['sign', '}}'],
      ['sign', ':'],
      ['word', 'b'],
    ],
  ],
];

function kindsAndTexts(tokens: readonly SqlToken[]): (readonly [SqlTokenKind, string])[] {
  return tokens.map(({ kind, text }) => [kind, text]);
}

test.each(sparkCases)('spark: %s', (sql, tokens) => {
  expect(kindsAndTexts(tokenize(sql))).toEqual(tokens);
});

test.each(duckdbCases)('duckdb: %s', (sql, tokens) => {
  expect(kindsAndTexts(tokenize(sql, 'duckdb'))).toEqual(tokens);
});

test('the name of a marker has no braces and no surrounding whitespace', () => {
  expect(['{{p}}', '{{ p }}', '{{\n a b.start\t}}'].map(markerName)).toEqual(['p', 'p', 'a b.start']);
});

describe.each<SqlDialect>(['spark', 'duckdb'])('any text in the dialect %s', (dialect) => {
  test('equals the concatenation of its tokens, whose offsets are their positions', () => {
    fc.assert(
      fc.property(fc.oneof(randomSql, fc.string({ unit: 'binary' })), (sql) => {
        const tokens = tokenize(sql, dialect);
        expect(tokens.map(({ text }) => text).join('')).toBe(sql);
        expect(tokens.every(({ text, offset }) => text !== '' && sql.slice(offset).startsWith(text))).toBe(
          true,
        );
      }),
      { numRuns: 1_000 },
    );
  });

  test('is tokenized in linear time, also when it repeats an unterminated start', () => {
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
        tokenize(sql, dialect)
          .map(({ text }) => text)
          .join(''),
      ).toBe(sql);
    }
  });
});
