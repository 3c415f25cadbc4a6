/** Versions that updates publish, and their readers. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { prepareQuery } from '../../../../engine/sql/duckdb-query.ts';
import { defaultLimits } from '../../../../engine/limits.ts';
import { createQueryPool } from '../../../../runners/query/query-pool.ts';
import { createQueryFiles } from '../../../../storage/files/query-files.ts';
import { createRoots } from '../../../../storage/files/roots.ts';
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

describe('a published version', () => {
  test('keeps tables that are no longer defined; a table of another kind requires a full refresh', async () => {
    await pipeline.putFile('in/1.csv', 'id\n1\n');
    await pipeline.runUpdate(
      streamingTable('a', `SELECT * FROM ${csvStream}`) + materializedView('b', 'SELECT 2 AS id'),
    );
    await pipeline.runUpdate(materializedView('b', 'SELECT 3 AS id'));
    expect([await pipeline.readIds('a'), await pipeline.readIds('b')]).toEqual([[1], [3]]);
    await expect(pipeline.runUpdate(materializedView('a', 'SELECT 4 AS id'))).rejects.toThrow(
      'a was published as STREAMING_TABLE and is now defined as MATERIALIZED_VIEW; a full refresh of the table replaces the published data.',
    );
    await pipeline.runUpdate(materializedView('a', 'SELECT 4 AS id'), { fullRefresh: true });
    expect(await pipeline.readIds('a')).toEqual([4]);
  });

  test('can be read as files by dashboard queries and other pipelines', async () => {
    await pipeline.putFile('in/1.csv', 'id\n1\n2\n');
    await pipeline.runUpdate(streamingTable('a', `SELECT * FROM ${csvStream}`));
    await pipeline.putFile('in/2.csv', 'id\n3\n');
    await pipeline.runUpdate(streamingTable('a', `SELECT * FROM ${csvStream}`));
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const pool = createQueryPool({
      directory: join(pipeline.directory, 'managed_fs'),
      limits: defaultLimits,
      log,
    });
    try {
      const query = prepareQuery(
        "SELECT sum(id) AS s FROM read_files('managed_fs:/pipelines/p/current/a/*.parquet')",
        new Map(),
      );
      const pathOf = createQueryFiles(
        createRoots({ dataDirectory: pipeline.directory, allowedRoots: [] }),
      ).resolvePath;
      const path = await pathOf(query.files[0] ?? '');
      expect(
        (
          await pool.run(
            query.sql(() => path),
            new AbortController().signal,
          )
        ).rows,
      ).toEqual([[6]]);
    } finally {
      await pool.close();
    }
    const other = {
      pipelineId: '00000000-0000-4000-8000-000000000002',
      storage: { directory: join(pipeline.directory, 'managed_fs/other'), uri: 'managed_fs:/other' },
    };
    const events = await pipeline.runUpdate(
      streamingTable('b', "SELECT id FROM STREAM read_files('managed_fs:/pipelines/p/current/a/*.parquet')"),
      {},
      other,
    );
    expect(events.find(({ details }) => details?.flow_progress?.status === 'COMPLETED')?.message).toBe(
      'Flow b is complete: 3 rows were written.',
    );
  });

  test('remains with its predecessor, and its storage accepts no other pipeline', async () => {
    for (let round = 0; round < 4; round += 1)
      await pipeline.runUpdate(materializedView('a', `SELECT ${round} AS id`));
    expect((await readdir(join(pipeline.storage, 'versions'))).toSorted()).toEqual(['3', '4']);
    await expect(
      pipeline.runUpdate(
        materializedView('a', 'SELECT 1 AS id'),
        {},
        { pipelineId: '00000000-0000-4000-8000-000000000002' },
      ),
    ).rejects.toThrow(
      'The storage managed_fs:/pipelines/p contains the tables of another pipeline (00000000-0000-4000-8000-000000000001).',
    );
  });

  test('is complete when two updates publish at the same time', async () => {
    await pipeline.runUpdate(materializedView('a', 'SELECT 1 AS id'));
    const slow = pipeline.runUpdate(
      materializedView('a', 'SELECT count(*) AS id FROM range(3000000) x WHERE hash(x.id) % 3 < 5'),
    );
    const quick = pipeline.runUpdate(materializedView('a', 'SELECT 2 AS id'));
    const outcomes = await Promise.allSettled([slow, quick]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(1);
    const { version } = await pipeline.readManifest();
    expect(version).toBe(1 + outcomes.filter(({ status }) => status === 'fulfilled').length);
    expect(await pipeline.readIds('a')).toHaveLength(1);
  });
});
