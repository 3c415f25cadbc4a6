/** Random SQL: meaningless text that contains every kind of token. */
import * as fc from 'fast-check';

/** Names of the parameters in random SQL; `r` is a range, `m` and `e` are lists. */
export const randomSqlParameters = ['p', 'q x', 'r', 'm', 'e'] as const;

/** Markers of these parameters, and of an unknown one. */
export const randomSqlMarkers = [
  '{{ p }}',
  '{{p}}',
  '{{ q x }}',
  '{{ r.start }}',
  '{{r.end}}',
  '{{ m }}',
  '{{ e }}',
  '{{ unknown }}',
] as const;

const code = [
  'select',
  'from',
  'join',
  'where',
  'group by',
  'order by',
  'partition by',
  'in',
  'not',
  'and',
  'interval',
  'days',
  'minute',
  'date',
  'timestamp',
  'as',
  'extract',
  'is distinct',
  'limit',
  'a',
  't.b',
  '`c d`',
  '1',
  '2.5',
  '=',
  '+',
  '::',
  ':',
  '.',
  ',',
  '(',
  ')',
  '[',
  ']',
  ';',
  '*',
  'größe',
  '😀',
];
const spaces = [' ', '\n', '\t', '  ', ''];
const quoting = ["'", '"', '`', '$$', '$x$', '\\', "''", '--', '/*', '*/', '{{', '}}', '{', '}', '#', "r'"];

const pieces = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...code) },
  { weight: 6, arbitrary: fc.constantFrom(...spaces) },
  { weight: 5, arbitrary: fc.constantFrom(...randomSqlMarkers) },
  { weight: 3, arbitrary: fc.constantFrom(...randomSqlMarkers).map((marker) => `'${marker}'`) },
  { weight: 1, arbitrary: fc.constantFrom(...randomSqlMarkers).map((marker) => ` in (${marker})`) },
  { weight: 1, arbitrary: fc.constantFrom(...randomSqlMarkers).map((marker) => `/* ${marker} */`) },
  { weight: 1, arbitrary: fc.constantFrom(...randomSqlMarkers).map((marker) => `-- ${marker}\n`) },
  { weight: 2, arbitrary: fc.constantFrom(...quoting) },
);

export const randomSql: fc.Arbitrary<string> = fc
  .array(pieces, { maxLength: 30 })
  .map((parts) => parts.join(''));

/** Random SQL without braces, and so without parameters. */
export const randomSqlWithoutBraces: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...code), fc.constantFrom(...spaces), fc.constantFrom(...quoting)), {
    maxLength: 30,
  })
  .map((parts) => parts.join('').replaceAll(/[{}]/g, ''));
