/** Expectations of pipelines: counted, dropped and fatal rows. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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

describe('an expectation', () => {
  const table = (action: string): string =>
    streamingTable(
      'a',
      `SELECT * FROM ${csvStream}`,
      `(CONSTRAINT small EXPECT (id < 10) ${action}, CONSTRAINT odd EXPECT (id % 2 = 1))`,
    );
  const quality = async (sql: string) =>
    (await pipeline.runUpdate(sql)).flatMap(({ details }) =>
      details?.flow_progress?.status === 'COMPLETED' ? [details.flow_progress] : [],
    );

  test.each([
    ['', [1, 2, 11], 0],
    ['ON VIOLATION DROP ROW', [1, 2], 2],
  ])('with the action %j counts failed rows and keeps %j', async (action, rows, dropped) => {
    await pipeline.putFile('in/1.csv', 'id,x\n1,a\n2,a\n11,a\n,a\n');
    expect(await quality(table(action))).toEqual([
      {
        status: 'COMPLETED',
        metrics: { num_output_rows: 4 - dropped },
        data_quality: {
          dropped_records: dropped,
          expectations: [
            { name: 'small', dataset: 'a', passed_records: 2, failed_records: 2 },
            { name: 'odd', dataset: 'a', passed_records: 2, failed_records: 2 },
          ],
        },
      },
    ]);
    expect(
      (await pipeline.readRows('a', 'SELECT id FROM t WHERE id IS NOT NULL ORDER BY id')).map(({ id }) =>
        Number(id),
      ),
    ).toEqual(rows);
  });

  test('that fails the update leaves all tables unchanged', async () => {
    await pipeline.putFile('in/1.csv', 'id\n1\n');
    const sql =
      materializedView('before', 'SELECT count(*) AS id FROM a') +
      table('ON VIOLATION FAIL UPDATE') +
      materializedView('late', "SELECT error('never') AS id");
    await pipeline.runUpdate(
      table('ON VIOLATION FAIL UPDATE') + materializedView('before', 'SELECT count(*) AS id FROM a'),
    );
    await pipeline.putFile('in/2.csv', 'id\n3\n11\n');
    await expect(pipeline.runUpdate(sql, { refreshSelection: ['a', 'before'] })).rejects.toThrow(
      'Flow a failed: 1 of 2 rows do not meet the expectation small (id < 10), which fails the update.',
    );
    expect([
      await pipeline.readIds('a'),
      await pipeline.readIds('before'),
      (await pipeline.readManifest()).version,
    ]).toEqual([[1], [1], 1]);
    await pipeline.putFile('in/2.csv', 'id\n3\n');
    await expect(pipeline.runUpdate(sql)).rejects.toThrow(/^Flow late failed: .*never/);
    expect([await pipeline.readIds('a'), (await pipeline.readManifest()).version]).toEqual([[1], 1]);
  });

  test('of a NOT NULL column fails the update', async () => {
    await expect(
      pipeline.runUpdate('CREATE MATERIALIZED VIEW a (id BIGINT NOT NULL) AS SELECT NULL AS id;'),
    ).rejects.toThrow('1 of 1 rows do not meet the expectation id is not null');
  });
});
