/** Streaming tables: files and rows that each update adds. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listInputFiles } from '../../../../runners/pipeline/input-files.ts';
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

describe('a streaming table', () => {
  const statements =
    streamingTable('a', `SELECT * FROM ${csvStream}`) +
    streamingTable('b', 'SELECT id * 10 AS id FROM STREAM a') +
    materializedView('n', 'SELECT count(*) AS id FROM b');

  test('reads every file and row once, until a full refresh starts over', async () => {
    await pipeline.putFile('in/1.csv', 'id\n1\n2\n');
    await pipeline.runUpdate(statements);
    await pipeline.putFile('in/2.csv', 'id\n3\n');
    await pipeline.putFile('in/_draft.csv', 'id\n99\n');
    await pipeline.putFile('in/.hidden/4.csv', 'id\n99\n');
    await pipeline.runUpdate(statements);
    await pipeline.runUpdate(statements);
    expect([await pipeline.readIds('a'), await pipeline.readIds('b'), await pipeline.readIds('n')]).toEqual([
      [1, 2, 3],
      [10, 20, 30],
      [3],
    ]);
    await rename(
      join(pipeline.directory, 'managed_fs/in/1.csv'),
      join(pipeline.directory, 'managed_fs/gone.csv'),
    );
    await pipeline.runUpdate(statements);
    expect(await pipeline.readIds('b')).toEqual([10, 20, 30]);
    await pipeline.runUpdate(statements, { fullRefresh: true });
    expect([await pipeline.readIds('a'), await pipeline.readIds('b'), await pipeline.readIds('n')]).toEqual([
      [3],
      [30],
      [1],
    ]);
    expect((await pipeline.readManifest()).datasets['a']).toMatchObject({
      generation: 2,
      parts: [{ rows: 1 }],
    });
  });

  test('requires a full refresh after one of its source', async () => {
    await pipeline.putFile('in/1.csv', 'id\n1\n');
    await pipeline.runUpdate(statements);
    await expect(
      pipeline.runUpdate(statements, { fullRefreshSelection: ['a'], refreshSelection: ['b'] }),
    ).rejects.toThrow(
      'b reads the stream of a, which starts over; b needs a full refresh in the same update.',
    );
    await pipeline.runUpdate(statements, { fullRefreshSelection: ['a'] });
    await expect(pipeline.runUpdate(statements)).rejects.toThrow(
      'Flow b reads the stream of a, which was reset; run a full refresh of b.',
    );
    await pipeline.runUpdate(statements, { fullRefreshSelection: ['A', 'B'] });
    expect([await pipeline.readIds('a'), await pipeline.readIds('b')]).toEqual([[1], [10]]);
  });

  test('keeps the rows of a file that changes later, with a warning', async () => {
    await pipeline.putFile('in/1.csv', 'id\n1\n');
    await pipeline.runUpdate(statements);
    await pipeline.putFile('in/1.csv', 'id\n1\n2\n');
    const warning = (await pipeline.runUpdate(statements)).find(({ level }) => level === 'WARN');
    expect(warning?.message).toBe(
      'Files changed after a read them: managed_fs:/in/1.csv. The table keeps the old rows; a full refresh reads the files again.',
    );
    expect(await pipeline.readIds('a')).toEqual([1]);
  });

  test('is filled by several flows, by name and by position, each with its own progress', async () => {
    const flows = `CREATE STREAMING TABLE t (id BIGINT, kind STRING);
      CREATE FLOW named AS INSERT INTO t BY NAME SELECT 'n' AS kind, id FROM STREAM a;
      CREATE FLOW placed AS INSERT INTO t SELECT id, 'p' FROM STREAM(a);`;
    await pipeline.putFile('in/1.csv', 'id\n1\n');
    await pipeline.runUpdate(statements + flows);
    await pipeline.putFile('in/2.csv', 'id\n2\n');
    await pipeline.runUpdate(statements + flows);
    expect(await pipeline.readRows('t')).toEqual([
      { id: '1', kind: 'n' },
      { id: '1', kind: 'p' },
      { id: '2', kind: 'n' },
      { id: '2', kind: 'p' },
    ]);
  });

  test('has columns of one file as null in the rows of other files', async () => {
    for (let file = 0; file < 60; file += 1)
      await pipeline.putFile(
        `in/${String(file).padStart(2, '0')}.csv`,
        file === 59 ? 'id,note\n59,late\n' : `id\n${file}\n`,
      );
    await pipeline.runUpdate(
      streamingTable('a', `SELECT id, note FROM ${csvStream}`) +
        streamingTable('b', 'SELECT id FROM STREAM a WHERE note IS NULL'),
    );
    expect(
      await pipeline.readRows(
        'a',
        'SELECT count(*) AS n, count(DISTINCT id) AS ids, max(note) AS note FROM t',
      ),
    ).toEqual([{ n: '60', ids: '60', note: 'late' }]);
    expect(await pipeline.readIds('b')).toHaveLength(59);
  });

  test('reads a file whose name contains pattern characters as one file', async () => {
    const names = ['a[1].csv', 'a1.csv', 'b*.csv', 'bx.csv', 'c?.csv', 'cc.csv', "d'{1}.csv"];
    for (const [index, name] of names.entries()) {
      await pipeline.putFile(`in/${name}`, `id\n${index}\n`);
      await pipeline.runUpdate(
        streamingTable(
          'a',
          `SELECT * FROM ${csvStream}`,
          '(CONSTRAINT c EXPECT (id >= 0) ON VIOLATION DROP ROW)',
        ),
      );
    }
    expect(await pipeline.readIds('a')).toEqual(names.map((_, index) => index));
    const unusualStorage = {
      storage: { directory: join(pipeline.directory, "managed_fs/o'[1]*?"), uri: "managed_fs:/o'[1]*?" },
    };
    const checked =
      streamingTable('a', `SELECT * FROM ${csvStream}`, '(CONSTRAINT c EXPECT (id > 5))') +
      materializedView('n', 'SELECT count(*) AS id FROM a');
    for (const rows of [7, 0]) {
      const outputRows = (await pipeline.runUpdate(checked, {}, unusualStorage)).flatMap(({ details }) =>
        details?.flow_progress?.status === 'COMPLETED'
          ? [details.flow_progress.metrics?.num_output_rows]
          : [],
      );
      expect(outputRows).toEqual([rows, 1]);
    }
  });

  test('reads files of objstore as those of managed_fs', async () => {
    await mkdir(join(pipeline.directory, 'objstore/bucket/day'), { recursive: true });
    await writeFile(join(pipeline.directory, 'objstore/bucket/day/1.json'), '{"id": 1}\n{"id": 2}\n');
    await pipeline.runUpdate(
      streamingTable('a', "SELECT * FROM STREAM read_files('s3://bucket/day', format => 'json')") +
        materializedView('b', "SELECT id FROM read_files('objstore://bucket/**/*.json')"),
    );
    expect([await pipeline.readIds('a'), await pipeline.readIds('b')]).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect(Object.keys((await pipeline.readManifest()).datasets['a']?.flows['a']?.inputs ?? {})).toEqual([
      'objstore://bucket/day/1.json',
    ]);
  });

  test('refuses an object store that is not a directory', async () => {
    await expect(listInputFiles('s3://bucket/*.json', { managedFs: pipeline.directory })).rejects.toThrow(
      's3://bucket/*.json cannot be read: pipelines support objstore:// only in a directory',
    );
  });

  test('with declared columns is valid without files', async () => {
    const declared =
      streamingTable('a', `SELECT * FROM ${csvStream}`, "(id BIGINT COMMENT 'key')") +
      materializedView('n', 'SELECT count(*) AS id FROM a');
    await pipeline.runUpdate(declared);
    expect(await pipeline.readIds('n')).toEqual([0]);
    await pipeline.putFile('in/1.csv', 'id\n7\n');
    await pipeline.runUpdate(declared);
    expect([await pipeline.readIds('a'), await pipeline.readIds('n')]).toEqual([[7], [1]]);
    expect((await pipeline.readManifest()).datasets['a']?.columns).toEqual([
      { name: 'id', type: 'BIGINT', comment: 'key' },
    ]);
    const wider = streamingTable('a', `SELECT id, 1 AS n FROM ${csvStream}`, '(id BIGINT, n INT)');
    await expect(pipeline.runUpdate(wider)).rejects.toThrow(
      '/p/a.sql, line 1, column 1: a is declared with the columns id, n, but was published with id; a full refresh uses the new columns.',
    );
    await pipeline.runUpdate(wider, { fullRefresh: true });
    expect(await pipeline.readRows('a')).toEqual([{ id: '7', n: 1 }]);
  });

  test('fails for values that its columns cannot hold without loss', async () => {
    await pipeline.putFile('in/1.csv', 'id\n1\n');
    await pipeline.runUpdate(streamingTable('a', `SELECT * FROM ${csvStream}`));
    await pipeline.putFile('in/2.csv', 'id\n1.5\n2.0\n');
    await expect(pipeline.runUpdate(streamingTable('a', `SELECT * FROM ${csvStream}`))).rejects.toThrow(
      'Flow a: column id of a is BIGINT, and 1 new values of type DOUBLE cannot be converted without loss. Cast it in the query, or refresh a fully.',
    );
    expect(await pipeline.readIds('a')).toEqual([1]);
    await pipeline.putFile('in/2.csv', 'id,more\n2,x\n');
    await expect(pipeline.runUpdate(streamingTable('a', `SELECT * FROM ${csvStream}`))).rejects.toThrow(
      'Flow a: its query has the column "more", which a does not have (id).',
    );
  });
});
