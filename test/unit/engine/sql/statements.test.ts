/** Statements of a text: where they end, and in which line they start. */
import { expect, test } from 'vitest';
import { splitStatements } from '../../../../engine/sql/statements.ts';

test('a statement has its code, its line and the offsets of its tokens', () => {
  const [first, second, ...others] = splitStatements(
    '-- a\nSELECT 1 ; ;\n\n/* b\n */ SELECT\n2 -- c\n',
    'spark',
  );
  expect(others).toEqual([]);
  expect(first?.tokens.map(({ text }) => text).join('')).toBe('SELECT 1');
  expect([first?.line, first?.tokens[0]?.offset]).toEqual([2, 5]);
  expect(second?.tokens.map(({ text }) => text).join('')).toBe('SELECT\n2');
  expect([second?.line, second?.tokens[0]?.offset]).toEqual([5, 28]);
});

test('a semicolon ends a statement only in code of its dialect', () => {
  const count = (sql: string, dialect: 'spark' | 'duckdb'): number => splitStatements(sql, dialect).length;
  expect([count("SELECT 'a\\';b'", 'spark'), count("SELECT 'a\\';b", 'duckdb')]).toEqual([1, 2]);
});
