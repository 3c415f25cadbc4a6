/**
 * `dbutils.jobs.taskValues` of a notebook: what it sets for later tasks, and what it reads from earlier ones.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultLimits } from '../../../engine/limits.ts';
import type { TaskValues } from '../../../engine/run/dynamic-values.ts';
import { notebookRunner } from '../../../runners/notebook/notebook.ts';
import { createTestContext } from './test-context.ts';

const small = { ...defaultLimits, taskValueBytes: 100, taskValuesBytes: 250 };

/** Runs one cell; gives how it ended, its error, what it exited with, and what it set. */
async function run(cell: string, taskValues: Readonly<Record<string, TaskValues>> = {}) {
  const context = await createTestContext({ taskValues, limits: small });
  await writeFile(join(context.workspace, 'nb.py'), `# Databricks notebook source\n${cell}\n`);
  const outcome = await notebookRunner.run({ notebook_path: '/nb' }, context);
  const kept = await readFile(join(context.directory, 'values.json'), 'utf8').catch(() => '{}');
  const values: unknown = JSON.parse(kept);
  return { ends: outcome.kind, error: context.output()?.error, result: context.output()?.result, values };
}

const set = (...pairs: string[]): string =>
  pairs.map((pair) => `dbutils.jobs.taskValues.set(${pair})`).join('\n');

test.each([
  ['a text', '"k", "v"', { k: '"v"' }],
  ['a number as it was written', '"k", 1.0', { k: '1.0' }],
  ['more digits than a double holds', '"k", 12345678901234567890', { k: '12345678901234567890' }],
  ['lists and maps', '"k", {"a": [1, None, True]}', { k: '{"a": [1, null, true]}' }],
  ['keywords', 'key="k", value="東京"', { k: '"東京"' }],
  ['a key like no other', '"__proto__", 1', JSON.parse('{"__proto__":"1"}')],
  ['exactly the largest value', '"k", "x" * 98', { k: `"${'x'.repeat(98)}"` }],
])('%s is set as JSON text', async (_fact, pair, values) => {
  expect(await run(set(pair))).toMatchObject({ ends: 'succeeded', values });
});

test('setting a key again replaces its value', async () => {
  expect((await run(set('"k", 1', '"other", 2', '"k", 3'))).values).toEqual({ k: '3', other: '2' });
});

test('values remain when the notebook fails after setting them', async () => {
  expect(await run(`${set('"k", 1')}\n1 / 0`)).toMatchObject({
    ends: 'failed',
    error: 'ZeroDivisionError: division by zero',
    values: { k: '1' },
  });
});

test.each([
  [
    'a value over the limit',
    '"k", "x" * 99',
    'ValueError: The task value "k" is 101 bytes of JSON; at most 100 are allowed. Store it in a file and set its path.',
  ],
  [
    'bytes, not characters',
    '"k", "é" * 50',
    'ValueError: The task value "k" is 102 bytes of JSON; at most 100 are allowed. Store it in a file and set its path.',
  ],
  [
    'what JSON cannot express',
    '"k", {1, 2}',
    'ValueError: The task value "k" cannot be encoded as JSON: Object of type set is not JSON serializable.',
  ],
  [
    'a number that is none',
    '"k", float("nan")',
    /^ValueError: The task value "k" cannot be encoded as JSON: Out of range float values/,
  ],
  [
    'text that is none',
    '"k", "\\udcff"',
    /^ValueError: The task value "k" cannot be encoded as JSON: 'utf-8' codec/,
  ],
  [
    'a key that is no text',
    '1, 2',
    'ValueError: The key of a task value is 1; it must be a non-empty string.',
  ],
  ['an empty key', '"", 2', "ValueError: The key of a task value is ''; it must be a non-empty string."],
])('%s is refused, and nothing is set', async (_fact, pair, error) => {
  const ran = await run(set(pair));
  expect(ran).toMatchObject({ ends: 'failed', values: {} });
  expect(ran.error).toMatch(error);
});

test('the values of a task have a total limit; values below it remain', async () => {
  const { error, values } = await run(set('"a", "x" * 90', '"b", "x" * 90', '"c", "x" * 90'));
  expect(error).toBe(
    'ValueError: With the task value "c" the values of this task are 279 bytes of JSON; at most 250 are allowed. Store them in a file and set its path.',
  );
  expect(Object.keys(values as object)).toEqual(['a', 'b']);
});

const before = { load: { rows: '12345678901234567890', city: '"Zürich"', nothing: 'null' }, check: {} };

test.each([
  ['a value of an earlier task, digits and all', '"load", "rows"', '12345678901234567890'],
  ['text', 'taskKey="load", key="city"', "'Zürich'"],
  ['null', '"load", "nothing", default=1', 'None'],
  ['a value that is set wins over the default', '"load", "city", default="x"', "'Zürich'"],
  ['the default for a value that was not set', '"load", "gone", default=7', '7'],
  ['the default for a task that does not come before', '"other", "rows", default=7', '7'],
  ['debugValue counts only outside of jobs', '"load", "city", debugValue="x"', "'Zürich'"],
])('get: %s', async (_fact, ask, value) => {
  expect((await run(`dbutils.notebook.exit(repr(dbutils.jobs.taskValues.get(${ask})))`, before)).result).toBe(
    value,
  );
});

test.each([
  [
    'a value that was not set',
    '"load", "raws"',
    'ValueError: Task "load" has not set "raws"; its values are city, nothing, rows. Set it there, or pass a default.',
  ],
  [
    'a task that has set none',
    '"check", "rows", debugValue=1',
    'ValueError: Task "check" has not set "rows"; no values were set. Set it there, or pass a default.',
  ],
  [
    'a task that does not come before',
    '"laod", "rows"',
    'ValueError: Task "laod" is not upstream of this task (upstream tasks: check, load). Add it to depends_on.',
  ],
])('get: %s is an error', async (_fact, ask, error) => {
  expect(await run(`dbutils.jobs.taskValues.get(${ask})`, before)).toMatchObject({ ends: 'failed', error });
});
