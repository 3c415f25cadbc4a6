/** Conversion of notebooks between source format and Jupyter documents. */
import { expect, test } from 'vitest';
import { parseJupyter, renderJupyter } from '../../../../../engine/run/notebook-source/jupyter-format.ts';
import { parseSource, renderSource } from '../../../../../engine/run/notebook-source/source-format.ts';
import type { SourceCell } from '../../../../../engine/run/notebook-source/source-notebook.ts';

const header = '# Databricks notebook source\n';
const separator = '\n\n# COMMAND ----------\n\n';

/** Cells in source format, and what they are. */
const cells: readonly (readonly [string, SourceCell])[] = [
  ['x = 1\nprint(x)', { language: 'python', source: 'x = 1\nprint(x)' }],
  ['# DBTITLE 1,Read all\nx = 1', { language: 'python', title: 'Read all', source: 'x = 1' }],
  [
    '# MAGIC %md\n# MAGIC # Title\n# MAGIC\n# MAGIC text',
    { language: 'markdown', source: '# Title\n\ntext' },
  ],
  ['# MAGIC %sql\n# MAGIC SELECT 1', { language: 'sql', source: '%sql\nSELECT 1' }],
  ['# MAGIC %sh ls', { language: 'shell', source: '%sh ls' }],
  ['# MAGIC %scala\n# MAGIC val x = 1', { language: 'scala', source: '%scala\nval x = 1' }],
  ['# MAGIC %run ./other', { language: 'run', source: '%run ./other' }],
  [
    '# MAGIC %pip install a\n# MAGIC %pip install b',
    { language: 'pip', source: '%pip install a\n%pip install b' },
  ],
  ['# MAGIC %pip install a\nimport a', { language: 'python', source: '%pip install a\nimport a' }],
  ['import a\n# MAGIC %time\na()', { language: 'python', source: 'import a\n%time\na()' }],
  ['# MAGIC %matplotlib inline', { language: 'python', source: '%matplotlib inline' }],
];

test.each(cells)('the cell %j is parsed, and rendered as it was', (text, cell) => {
  const notebook = { language: 'PYTHON', cells: [cell] } as const;
  expect(parseSource(header + text, 'PYTHON')).toEqual(notebook);
  expect(renderSource(notebook)).toBe(`${header}${text}\n`);
});

test.each(cells)('the cell %j is the same after a conversion to Jupyter and back', (_text, cell) => {
  const notebook = { language: 'PYTHON', cells: [cell] } as const;
  expect(parseJupyter(renderJupyter(notebook))).toEqual(notebook);
});

test('a whole notebook keeps the order of its cells, and loses blank and empty ones', () => {
  const text = header + cells.map(([one]) => one).join(separator);
  expect(parseSource(text.replaceAll('\n', '\r\n') + separator, 'PYTHON').cells).toEqual(
    cells.map(([, cell]) => cell),
  );
  expect(renderSource(parseSource(text, 'PYTHON'))).toBe(`${text}\n`);
});

test('Markdown lines above code are comments of the code', () => {
  expect(parseSource('# MAGIC %md about\nx = 1', 'PYTHON').cells).toEqual([
    { language: 'python', source: '# MAGIC %md about\nx = 1' },
  ]);
});

test.each([
  ['SQL', '--', 'sql', 'SELECT 1'],
  ['JAVASCRIPT', '//', 'javascript', 'let x'],
  ['SCALA', '//', 'scala', 'val x'],
  ['R', '#', 'r', 'x <- 1'],
] as const)('a %s notebook has the marker %s', (language, marker, own, code) => {
  const text = `${marker} Databricks notebook source\n${code}\n\n${marker} COMMAND ----------\n\n${marker} MAGIC %python\n${marker} MAGIC x = 1\n`;
  const notebook = {
    language,
    cells: [
      { language: own, source: code },
      { language: 'python', source: '%python\nx = 1' },
    ],
  } as const;
  expect(parseSource(text, language)).toEqual(notebook);
  expect(renderSource(notebook)).toBe(text);
  expect(parseJupyter(renderJupyter(notebook))).toEqual(notebook);
});

test('a plain file is one cell, and an empty notebook has none', () => {
  expect(parseSource('print(1)\n', 'PYTHON').cells).toEqual([{ language: 'python', source: 'print(1)' }]);
  expect(parseSource(`\uFEFF${header}`, 'PYTHON').cells).toEqual([]);
  expect(renderSource({ language: 'PYTHON', cells: [] })).toBe(`${header}\n`);
});

test('a Jupyter document is rendered as nbformat 4, with the lines of each cell', () => {
  const document: unknown = JSON.parse(
    renderJupyter({
      language: 'PYTHON',
      cells: [
        { language: 'markdown', source: 'text' },
        { language: 'python', title: 'First', source: 'x = 1\nx' },
      ],
    }),
  );
  expect(document).toEqual({
    cells: [
      { cell_type: 'markdown', metadata: {}, source: ['text'] },
      {
        cell_type: 'code',
        execution_count: null,
        metadata: { title: 'First' },
        outputs: [],
        source: ['x = 1\n', 'x'],
      },
    ],
    metadata: {
      kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' },
      language_info: { name: 'python' },
    },
    nbformat: 4,
    nbformat_minor: 4,
  });
});

test('a Jupyter document of another tool is read: texts, raw cells, line ends, unknown fields', () => {
  const document = {
    nbformat: 4,
    metadata: { language_info: { name: 'IPython' } },
    cells: [
      { cell_type: 'code', source: 'a\r\nb\n', outputs: [{}] },
      { cell_type: 'raw', source: ['as ', 'is'] },
      { cell_type: 'code', source: '' },
      'no cell',
    ],
  };
  expect(parseJupyter(JSON.stringify(document))?.cells).toEqual([
    { language: 'python', source: 'a\nb' },
    { language: 'markdown', source: '```\nas is\n```' },
  ]);
});

test.each([
  ['no JSON', '{'],
  ['no object', '[]'],
  ['no cells', '{"nbformat": 4}'],
  ['an old format', '{"nbformat": 3, "cells": []}'],
  ['an unknown language', '{"nbformat": 4, "cells": [], "metadata": {"kernelspec": {"language": "julia"}}}'],
])('a document with %s is no notebook', (_problem, text) => {
  expect(parseJupyter(text)).toBeUndefined();
});
