/** SQL and JavaScript notebooks in source format, cut into cells. */
import { expect, test } from 'vitest';
import { parseCells } from '../../../../runners/notebook/node/source-format.ts';

const separator = '\n\n-- COMMAND ----------\n\n';

function sql(...cells: string[]): [string, string, string | undefined][] {
  return parseCells(`-- Databricks notebook source\n${cells.join(separator)}`, 'sql').map(
    ({ language, source, title }) => [language, source, title],
  );
}

test('cells are counted over those that are not empty', () => {
  expect(parseCells(`SELECT 1${separator}\n \n${separator}SELECT 2\n`, 'sql')).toEqual([
    { position: 1, language: 'sql', title: undefined, source: 'SELECT 1' },
    { position: 2, language: 'sql', title: undefined, source: 'SELECT 2' },
  ]);
});

test.each<[string, string, [string, string, string | undefined]]>([
  ['code', 'SELECT 1 -- one', ['sql', 'SELECT 1 -- one', undefined]],
  ['a title', '-- DBTITLE 1,The days\nSELECT 1', ['sql', 'SELECT 1', 'The days']],
  [
    'Markdown',
    '-- MAGIC %md\n-- MAGIC # Rain\n-- MAGIC\n-- MAGIC of a year',
    ['markdown', '# Rain\n\nof a year', undefined],
  ],
  ['Markdown on the line of its word', '-- MAGIC %md # Rain', ['markdown', '# Rain', undefined]],
  ['its own language named', '-- MAGIC %sql SELECT 1', ['sql', 'SELECT 1', undefined]],
  ['another language', '-- MAGIC %python\n-- MAGIC print(1)', ['python', '%python\nprint(1)', undefined]],
  ['a magic word without its comment', '%sh ls', ['shell', '%sh ls', undefined]],
  ['an unknown language', '-- MAGIC %cobol x', ['cobol', '%cobol x', undefined]],
  [
    'Markdown between statements, where it is a comment',
    'SELECT 1;\n-- MAGIC %md x\nSELECT 2',
    ['sql', 'SELECT 1;\n-- MAGIC %md x\nSELECT 2', undefined],
  ],
  ['the end of lines of other systems', 'SELECT 1,\r\n2', ['sql', 'SELECT 1,\n2', undefined]],
])('%s', (_, cell, expected) => {
  expect(sql(cell)).toEqual([expected]);
});

test('the same words stand behind two slashes in JavaScript', () => {
  const text =
    '\uFEFF// Databricks notebook source\n// MAGIC %md # Rain\n\n// COMMAND ----------\n\n// DBTITLE 1,Sum\n1 + 1\n\n// COMMAND ----------\n\n// MAGIC %js 2\n';
  expect(
    parseCells(text, 'javascript').map(({ language, source, title }) => [language, source, title]),
  ).toEqual([
    ['markdown', '# Rain', undefined],
    ['javascript', '1 + 1', 'Sum'],
    ['javascript', '2', undefined],
  ]);
});
