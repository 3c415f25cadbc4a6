/** Validation of pipelines before an update computes anything. */
import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { UpdateRequest } from '../../../../engine/pipeline/select-tables.ts';
import {
  createPipelineHarness,
  csvStream,
  materializedView,
  streamingTable,
  type PipelineHarness,
} from './pipeline-harness.ts';

let pipeline: PipelineHarness;
beforeEach(async () => {
  pipeline = await createPipelineHarness();
});
afterEach(() => pipeline.remove());

describe('an update is refused before it starts for', () => {
  test.each<[string, string, string | RegExp, Partial<UpdateRequest>?]>([
    [
      'an unknown table',
      materializedView('orders', 'SELECT 1 AS id') + materializedView('b', 'SELECT * FROM ordrs'),
      '/p/a.sql, line 2, column 45: b reads "ordrs", which is not a dataset of this pipeline; did you mean orders?',
    ],
    [
      'a table outside the pipeline',
      materializedView('a', 'SELECT * FROM other.t'),
      '/p/a.sql, line 1, column 51: other.t is not a dataset of this pipeline; queries can only read its datasets and files.',
    ],
    [
      'a table in a format that only Spark writes',
      'CREATE MATERIALIZED VIEW t USING delta AS SELECT 1 AS id;',
      '/p/a.sql, line 1, column 1: tables are written as PARQUET; USING DELTA needs a pipeline on Spark.',
    ],
    [
      'a cycle of datasets',
      materializedView('a', 'SELECT * FROM b') +
        materializedView('b', 'SELECT * FROM c') +
        materializedView('c', 'SELECT * FROM a'),
      'The datasets form a cycle: a reads b reads c reads a.',
    ],
    [
      'a table that reads itself',
      materializedView('a', 'SELECT * FROM a'),
      'The datasets form a cycle: a reads a.',
    ],
    [
      'invalid SQL',
      materializedView('a', 'SELECT * FRM b'),
      '/p/a.sql, line 1, column 44: The query is invalid: syntax error at or near "b"',
    ],
    [
      'an unknown column',
      materializedView('a', 'SELECT 1 AS id') + materializedView('b', 'SELECT nope FROM a'),
      /^\/p\/a\.sql, line 2, column 38: flow b cannot run: Binder Error: Referenced column "nope" not found/,
    ],
    [
      'an unknown column in an expectation',
      'CREATE MATERIALIZED VIEW a (CONSTRAINT c EXPECT (nope > 1)) AS SELECT 1 AS id;',
      /flow a cannot run: Binder Error: Referenced column "nope" not found/,
    ],
    [
      'two columns of one name',
      materializedView('a', 'SELECT 1 AS x, 2 AS X'),
      'Flow a: its query has two columns named "X"; rename one with AS.',
    ],
    [
      'a stream in a materialized view',
      materializedView('a', `SELECT * FROM ${csvStream}`),
      '/p/a.sql, line 1, column 1: the materialized view a reads a stream; each update recomputes it, so leave STREAM out, or make it a streaming table.',
    ],
    [
      'a streaming table without a stream',
      streamingTable('a', 'SELECT 1 AS id'),
      '/p/a.sql, line 1, column 1: the flow a of the streaming table a reads no stream; write STREAM before a source, or make a a materialized view.',
    ],
    [
      'a stream of a materialized view',
      materializedView('m', 'SELECT 1 AS id') + streamingTable('s', 'SELECT * FROM STREAM m'),
      '/p/a.sql, line 2, column 51: s reads STREAM m, but that is a materialized view, which each update recomputes; only streaming tables, files and views on them are streams.',
    ],
    [
      'a streaming view that is read without STREAM',
      `CREATE TEMPORARY VIEW v AS SELECT * FROM ${csvStream};${materializedView('m', 'SELECT * FROM v')}`,
      /m reads the view v, which reads a stream; write STREAM\(v\)\.$/,
    ],
    [
      'missing files',
      materializedView('a', "SELECT * FROM read_files('managed_fs:/none/*.csv')"),
      'Flow a: no file matches managed_fs:/none/*.csv, which a reads (/p/a.sql). Upload one with POST /api/2.0/managed_fs/put.',
    ],
    [
      'a streaming table with unknown columns',
      streamingTable('a', `SELECT * FROM ${csvStream}`),
      'Flow a: no file exists yet for managed_fs:/in/*.csv, so the columns of a are unknown. Upload one, or declare the columns with their types.',
    ],
    [
      'a source that was never computed and is not selected',
      materializedView('a', 'SELECT 1 AS id') + materializedView('b', 'SELECT * FROM a'),
      'b reads a, which was never computed and is not selected; select it as well.',
      { refreshSelection: ['b'] },
    ],
    [
      'a table in both selections',
      materializedView('a', 'SELECT 1 AS id'),
      'a is in full_refresh_selection and in refresh_selection; it is allowed in one of them only.',
      { refreshSelection: ['a'], fullRefreshSelection: ['a'] },
    ],
    [
      'a file outside managed_fs',
      materializedView('a', "SELECT * FROM read_csv('/etc/passwd')"),
      /flow a cannot run: Permission Error/,
    ],
    [
      'a file behind a symbolic link',
      materializedView('a', "SELECT * FROM read_files('managed_fs:/out/passwd', format => 'csv')"),
      /no file matches managed_fs:\/out\/passwd/,
    ],
    [
      'a URL',
      materializedView('a', "SELECT * FROM read_csv('https://example.org/x.csv')"),
      /flow a cannot run: .*(Error|disabled)/,
    ],
    [
      'a path with ".."',
      materializedView('a', "SELECT * FROM read_files('managed_fs:/../x.csv')"),
      'The path "managed_fs:/../x.csv" must not contain "..".',
    ],
    [
      'an installation of an extension',
      materializedView('a', 'SELECT * FROM (INSTALL httpfs)'),
      /The query is invalid|not allowed/,
    ],
  ])('%s', async (_name, sql, message, request = {}) => {
    await symlink('/etc', join(pipeline.directory, 'managed_fs', 'out'));
    await expect(pipeline.runUpdate(sql, request)).rejects.toThrow(message);
    await expect(pipeline.runUpdate(sql, { ...request, validateOnly: true })).rejects.toThrow(message);
    expect(await readdir(pipeline.storage)).toEqual([]);
  });
});

test('a validation computes and publishes nothing', async () => {
  await pipeline.putFile('in/a.csv', 'id\n1\n');
  const events = await pipeline.runUpdate(
    streamingTable('a', `SELECT * FROM ${csvStream}`) + materializedView('b', 'SELECT max(id) AS m FROM a'),
    { validateOnly: true },
  );
  expect(events.at(-1)?.message).toBe('The pipeline is valid; nothing was computed.');
  expect(await readdir(pipeline.storage)).toEqual([]);
});

test('an update computes tables after their sources, in any order of files and statements', async () => {
  const events = await pipeline.runUpdate({
    '/p/1.sql': materializedView('z', 'WITH y AS (SELECT n FROM y) SELECT n + 1 AS n FROM y'),
    '/p/2.sql':
      materializedView('y', 'SELECT (SELECT max(id) FROM x) AS n') +
      materializedView('x', 'SELECT id FROM range(5)'),
  });
  expect(
    events.flatMap(({ flow, details }) => (details?.flow_progress?.status === 'COMPLETED' ? [flow] : [])),
  ).toEqual(['x', 'y', 'z']);
  expect(await pipeline.readRows('z')).toEqual([{ n: '5' }]);
});
