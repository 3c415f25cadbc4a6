/** Updates of pipelines: what is refused before anything runs, what streams read, and what is published. */
import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { prepareQuery } from '../../../../engine/sql/duckdb-query.ts';
import { defaultLimits } from '../../../../engine/limits.ts';
import type { UpdateRequest } from '../../../../engine/pipeline/select-tables.ts';
import { createQueryPool } from '../../../../runners/query/query-pool.ts';
import { createQueryFiles } from '../../../../storage/files/query-files.ts';
import { createRoots } from '../../../../storage/files/roots.ts';
import { listInputFiles } from '../../../../runners/pipeline/input-files.ts';
import { createPipelineHarness, type PipelineHarness } from './pipeline-harness.ts';

let world: PipelineHarness;
beforeEach(async () => {
  world = await createPipelineHarness();
});
afterEach(() => world.remove());

const view = (name: string, query: string): string => `CREATE MATERIALIZED VIEW ${name} AS ${query};\n`;
const stream = (name: string, query: string, clauses = ''): string =>
  `CREATE STREAMING TABLE ${name} ${clauses} AS ${query};\n`;
const files = "STREAM read_files('managed_fs:/in/*.csv', format => 'csv')";
const ids = async (table: string): Promise<number[]> =>
  (await world.readRows(table)).map(({ id }) => Number(id));

describe('refused before anything runs', () => {
  test.each<[string, string, string | RegExp, Partial<UpdateRequest>?]>([
    [
      'an unknown table',
      view('orders', 'SELECT 1 AS id') + view('b', 'SELECT * FROM ordrs'),
      '/p/a.sql, line 2, column 45: b reads "ordrs", which is not a dataset of this pipeline; did you mean orders?',
    ],
    [
      'a table of elsewhere',
      view('a', 'SELECT * FROM other.t'),
      '/p/a.sql, line 1, column 51: other.t is not a dataset of this pipeline; queries can only read its datasets and files.',
    ],
    [
      'a circle',
      view('a', 'SELECT * FROM b') + view('b', 'SELECT * FROM c') + view('c', 'SELECT * FROM a'),
      'The datasets form a cycle: a reads b reads c reads a.',
    ],
    ['a table that reads itself', view('a', 'SELECT * FROM a'), 'The datasets form a cycle: a reads a.'],
    [
      'what is no SQL',
      view('a', 'SELECT * FRM b'),
      '/p/a.sql, line 1, column 44: The query is invalid: syntax error at or near "b"',
    ],
    [
      'an unknown column',
      view('a', 'SELECT 1 AS id') + view('b', 'SELECT nope FROM a'),
      /^\/p\/a\.sql, line 2, column 38: flow b cannot run: Binder Error: Referenced column "nope" not found/,
    ],
    [
      'an unknown column of a condition',
      'CREATE MATERIALIZED VIEW a (CONSTRAINT c EXPECT (nope > 1)) AS SELECT 1 AS id;',
      /flow a cannot run: Binder Error: Referenced column "nope" not found/,
    ],
    [
      'two columns of one name',
      view('a', 'SELECT 1 AS x, 2 AS X'),
      'Flow a: its query has two columns named "X"; rename one with AS.',
    ],
    [
      'a stream in a materialized view',
      view('a', `SELECT * FROM ${files}`),
      '/p/a.sql, line 1, column 1: the materialized view a reads a stream; each update recomputes it, so leave STREAM out, or make it a streaming table.',
    ],
    [
      'a streaming table without a stream',
      stream('a', 'SELECT 1 AS id'),
      '/p/a.sql, line 1, column 1: the flow a of the streaming table a reads no stream; write STREAM before a source, or make a a materialized view.',
    ],
    [
      'a stream of a materialized view',
      view('m', 'SELECT 1 AS id') + stream('s', 'SELECT * FROM STREAM m'),
      '/p/a.sql, line 2, column 51: s reads STREAM m, but that is a materialized view, which each update recomputes; only streaming tables, files and views on them are streams.',
    ],
    [
      'a streaming view that is read whole',
      `CREATE TEMPORARY VIEW v AS SELECT * FROM ${files};${view('m', 'SELECT * FROM v')}`,
      /m reads the view v, which reads a stream; write STREAM\(v\)\.$/,
    ],
    [
      'files that are not there',
      view('a', "SELECT * FROM read_files('managed_fs:/none/*.csv')"),
      'Flow a: no file matches managed_fs:/none/*.csv, which a reads (/p/a.sql). Upload one with POST /api/2.0/managed_fs/put.',
    ],
    [
      'columns that nothing tells',
      stream('a', `SELECT * FROM ${files}`),
      'Flow a: no file exists yet for managed_fs:/in/*.csv, so the columns of a are unknown. Upload one, or declare the columns with their types.',
    ],
    [
      'a table that is not selected',
      view('a', 'SELECT 1 AS id') + view('b', 'SELECT * FROM a'),
      'b reads a, which was never computed and is not selected; select it as well.',
      { refreshSelection: ['b'] },
    ],
    [
      'a selection in two ways',
      view('a', 'SELECT 1 AS id'),
      'a is in full_refresh_selection and in refresh_selection; it is allowed in one of them only.',
      { refreshSelection: ['a'], fullRefreshSelection: ['a'] },
    ],
    [
      'a file of this machine',
      view('a', "SELECT * FROM read_csv('/etc/passwd')"),
      /flow a cannot run: Permission Error/,
    ],
    [
      'a file that is reached through a link',
      view('a', "SELECT * FROM read_files('managed_fs:/out/passwd', format => 'csv')"),
      /no file matches managed_fs:\/out\/passwd/,
    ],
    [
      'the network',
      view('a', "SELECT * FROM read_csv('https://example.org/x.csv')"),
      /flow a cannot run: .*(Error|disabled)/,
    ],
    [
      'a way out',
      view('a', "SELECT * FROM read_files('managed_fs:/../x.csv')"),
      'The path "managed_fs:/../x.csv" must not contain "..".',
    ],
    ['an installation', view('a', 'SELECT * FROM (INSTALL httpfs)'), /The query is invalid|not allowed/],
  ])('%s', async (_name, sql, message, request = {}) => {
    await symlink('/etc', join(world.directory, 'managed_fs', 'out'));
    await expect(world.runUpdate(sql, request)).rejects.toThrow(message);
    await expect(world.runUpdate(sql, { ...request, validateOnly: true })).rejects.toThrow(message);
    expect(await readdir(world.storage)).toEqual([]);
  });
});

test('a check alone computes and publishes nothing', async () => {
  await world.putFile('in/a.csv', 'id\n1\n');
  const events = await world.runUpdate(
    stream('a', `SELECT * FROM ${files}`) + view('b', 'SELECT max(id) AS m FROM a'),
    { validateOnly: true },
  );
  expect(events.at(-1)?.message).toBe('The pipeline is valid; nothing was computed.');
  expect(await readdir(world.storage)).toEqual([]);
});

test('tables are computed behind those that they read, whatever the order of files and statements', async () => {
  const events = await world.runUpdate({
    '/p/1.sql': view('z', 'WITH y AS (SELECT n FROM y) SELECT n + 1 AS n FROM y'),
    '/p/2.sql': view('y', 'SELECT (SELECT max(id) FROM x) AS n') + view('x', 'SELECT id FROM range(5)'),
  });
  expect(
    events.flatMap(({ flow, details }) => (details?.flow_progress?.status === 'COMPLETED' ? [flow] : [])),
  ).toEqual(['x', 'y', 'z']);
  expect(await world.readRows('z')).toEqual([{ n: '5' }]);
});

describe('streams', () => {
  const statements =
    stream('a', `SELECT * FROM ${files}`) +
    stream('b', 'SELECT id * 10 AS id FROM STREAM a') +
    view('n', 'SELECT count(*) AS id FROM b');

  test('every file and every row goes on once; a full refresh begins anew', async () => {
    await world.putFile('in/1.csv', 'id\n1\n2\n');
    await world.runUpdate(statements);
    await world.putFile('in/2.csv', 'id\n3\n');
    await world.putFile('in/_draft.csv', 'id\n99\n');
    await world.putFile('in/.hidden/4.csv', 'id\n99\n');
    await world.runUpdate(statements);
    await world.runUpdate(statements);
    expect([await ids('a'), await ids('b'), await ids('n')]).toEqual([[1, 2, 3], [10, 20, 30], [3]]);
    await rename(join(world.directory, 'managed_fs/in/1.csv'), join(world.directory, 'managed_fs/gone.csv'));
    await world.runUpdate(statements);
    expect(await ids('b')).toEqual([10, 20, 30]);
    await world.runUpdate(statements, { fullRefresh: true });
    expect([await ids('a'), await ids('b'), await ids('n')]).toEqual([[3], [30], [1]]);
    expect((await world.readManifest()).datasets['a']).toMatchObject({ generation: 2, parts: [{ rows: 1 }] });
  });

  test('a table whose source begins anew must begin anew with it', async () => {
    await world.putFile('in/1.csv', 'id\n1\n');
    await world.runUpdate(statements);
    await expect(
      world.runUpdate(statements, { fullRefreshSelection: ['a'], refreshSelection: ['b'] }),
    ).rejects.toThrow(
      'b reads the stream of a, which starts over; b needs a full refresh in the same update.',
    );
    await world.runUpdate(statements, { fullRefreshSelection: ['a'] });
    await expect(world.runUpdate(statements)).rejects.toThrow(
      'Flow b reads the stream of a, which was reset; run a full refresh of b.',
    );
    await world.runUpdate(statements, { fullRefreshSelection: ['A', 'B'] });
    expect([await ids('a'), await ids('b')]).toEqual([[1], [10]]);
  });

  test('a file that changes after it was read stays as it was read, and the log says so', async () => {
    await world.putFile('in/1.csv', 'id\n1\n');
    await world.runUpdate(statements);
    await world.putFile('in/1.csv', 'id\n1\n2\n');
    const warning = (await world.runUpdate(statements)).find(({ level }) => level === 'WARN');
    expect(warning?.message).toBe(
      'Files changed after a read them: managed_fs:/in/1.csv. The table keeps the old rows; a full refresh reads the files again.',
    );
    expect(await ids('a')).toEqual([1]);
  });

  test('several flows fill one table, by name and by place, each from where it stood', async () => {
    const flows = `CREATE STREAMING TABLE t (id BIGINT, kind STRING);
      CREATE FLOW named AS INSERT INTO t BY NAME SELECT 'n' AS kind, id FROM STREAM a; CREATE FLOW placed AS INSERT INTO t SELECT id, 'p' FROM STREAM(a);`;
    await world.putFile('in/1.csv', 'id\n1\n');
    await world.runUpdate(statements + flows);
    await world.putFile('in/2.csv', 'id\n2\n');
    await world.runUpdate(statements + flows);
    expect(await world.readRows('t')).toEqual([
      { id: '1', kind: 'n' },
      { id: '1', kind: 'p' },
      { id: '2', kind: 'n' },
      { id: '2', kind: 'p' },
    ]);
  });

  test('a column that only one of many files has is there, and empty in the rows of all others', async () => {
    for (let file = 0; file < 60; file += 1)
      await world.putFile(
        `in/${String(file).padStart(2, '0')}.csv`,
        file === 59 ? 'id,note\n59,late\n' : `id\n${file}\n`,
      );
    await world.runUpdate(
      stream('a', `SELECT id, note FROM ${files}`) +
        stream('b', 'SELECT id FROM STREAM a WHERE note IS NULL'),
    );
    expect(
      await world.readRows('a', 'SELECT count(*) AS n, count(DISTINCT id) AS ids, max(note) AS note FROM t'),
    ).toEqual([{ n: '60', ids: '60', note: 'late' }]);
    expect(await ids('b')).toHaveLength(59);
  });

  test('a file whose name looks like a pattern is that file alone', async () => {
    const names = ['a[1].csv', 'a1.csv', 'b*.csv', 'bx.csv', 'c?.csv', 'cc.csv', "d'{1}.csv"];
    for (const [index, name] of names.entries()) {
      await world.putFile(`in/${name}`, `id\n${index}\n`);
      await world.runUpdate(
        stream('a', `SELECT * FROM ${files}`, '(CONSTRAINT c EXPECT (id >= 0) ON VIOLATION DROP ROW)'),
      );
    }
    expect(await ids('a')).toEqual(names.map((_, index) => index));
    const odd = {
      storage: { directory: join(world.directory, "managed_fs/o'[1]*?"), uri: "managed_fs:/o'[1]*?" },
    };
    const checked =
      stream('a', `SELECT * FROM ${files}`, '(CONSTRAINT c EXPECT (id > 5))') +
      view('n', 'SELECT count(*) AS id FROM a');
    for (const rows of [7, 0]) {
      const done = (await world.runUpdate(checked, {}, odd)).flatMap(({ details }) =>
        details?.flow_progress?.status === 'COMPLETED'
          ? [details.flow_progress.metrics?.num_output_rows]
          : [],
      );
      expect(done).toEqual([rows, 1]);
    }
  });

  test('files of objstore are read like those of managed_fs', async () => {
    await mkdir(join(world.directory, 'objstore/bucket/day'), { recursive: true });
    await writeFile(join(world.directory, 'objstore/bucket/day/1.json'), '{"id": 1}\n{"id": 2}\n');
    await world.runUpdate(
      stream('a', "SELECT * FROM STREAM read_files('s3://bucket/day', format => 'json')") +
        view('b', "SELECT id FROM read_files('objstore://bucket/**/*.json')"),
    );
    expect([await ids('a'), await ids('b')]).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect(Object.keys((await world.readManifest()).datasets['a']?.flows['a']?.inputs ?? {})).toEqual([
      'objstore://bucket/day/1.json',
    ]);
  });

  test('an object store that is no directory is refused instead of being empty', async () => {
    await expect(listInputFiles('s3://bucket/*.json', { managedFs: world.directory })).rejects.toThrow(
      's3://bucket/*.json cannot be read: pipelines support objstore:// only in a directory',
    );
  });

  test('a declared table may wait for its first file', async () => {
    const declared =
      stream('a', `SELECT * FROM ${files}`, "(id BIGINT COMMENT 'key')") +
      view('n', 'SELECT count(*) AS id FROM a');
    await world.runUpdate(declared);
    expect(await ids('n')).toEqual([0]);
    await world.putFile('in/1.csv', 'id\n7\n');
    await world.runUpdate(declared);
    expect([await ids('a'), await ids('n')]).toEqual([[7], [1]]);
    expect((await world.readManifest()).datasets['a']?.columns).toEqual([
      { name: 'id', type: 'BIGINT', comment: 'key' },
    ]);
    const wider = stream('a', `SELECT id, 1 AS n FROM ${files}`, '(id BIGINT, n INT)');
    await expect(world.runUpdate(wider)).rejects.toThrow(
      '/p/a.sql, line 1, column 1: a is declared with the columns id, n, but was published with id; a full refresh uses the new columns.',
    );
    await world.runUpdate(wider, { fullRefresh: true });
    expect(await world.readRows('a')).toEqual([{ id: '7', n: 1 }]);
  });

  test('values that do not fit the columns of a table fail the update, and nothing is rounded', async () => {
    await world.putFile('in/1.csv', 'id\n1\n');
    await world.runUpdate(stream('a', `SELECT * FROM ${files}`));
    await world.putFile('in/2.csv', 'id\n1.5\n2.0\n');
    await expect(world.runUpdate(stream('a', `SELECT * FROM ${files}`))).rejects.toThrow(
      'Flow a: column id of a is BIGINT, and 1 new values of type DOUBLE cannot be converted without loss. Cast it in the query, or refresh a fully.',
    );
    expect(await ids('a')).toEqual([1]);
    await world.putFile('in/2.csv', 'id,more\n2,x\n');
    await expect(world.runUpdate(stream('a', `SELECT * FROM ${files}`))).rejects.toThrow(
      'Flow a: its query has the column "more", which a does not have (id).',
    );
  });
});

describe('expectations', () => {
  const table = (action: string): string =>
    stream(
      'a',
      `SELECT * FROM ${files}`,
      `(CONSTRAINT small EXPECT (id < 10) ${action}, CONSTRAINT odd EXPECT (id % 2 = 1))`,
    );
  const quality = async (sql: string) =>
    (await world.runUpdate(sql)).flatMap(({ details }) =>
      details?.flow_progress?.status === 'COMPLETED' ? [details.flow_progress] : [],
    );

  test.each([
    ['', [1, 2, 11], 0],
    ['ON VIOLATION DROP ROW', [1, 2], 2],
  ])('without an action and with %j', async (action, rows, dropped) => {
    await world.putFile('in/1.csv', 'id,x\n1,a\n2,a\n11,a\n,a\n');
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
      (await world.readRows('a', 'SELECT id FROM t WHERE id IS NOT NULL ORDER BY id')).map(({ id }) =>
        Number(id),
      ),
    ).toEqual(rows);
  });

  test('one that fails the update leaves every table as it was', async () => {
    await world.putFile('in/1.csv', 'id\n1\n');
    const sql =
      view('before', 'SELECT count(*) AS id FROM a') +
      table('ON VIOLATION FAIL UPDATE') +
      view('late', "SELECT error('never') AS id");
    await world.runUpdate(table('ON VIOLATION FAIL UPDATE') + view('before', 'SELECT count(*) AS id FROM a'));
    await world.putFile('in/2.csv', 'id\n3\n11\n');
    await expect(world.runUpdate(sql, { refreshSelection: ['a', 'before'] })).rejects.toThrow(
      'Flow a failed: 1 of 2 rows do not meet the expectation small (id < 10), which fails the update.',
    );
    expect([await ids('a'), await ids('before'), (await world.readManifest()).version]).toEqual([
      [1],
      [1],
      1,
    ]);
    await world.putFile('in/2.csv', 'id\n3\n');
    await expect(world.runUpdate(sql)).rejects.toThrow(/^Flow late failed: .*never/);
    expect([await ids('a'), (await world.readManifest()).version]).toEqual([[1], 1]);
  });

  test('a column that may not be null fails the update', async () => {
    await expect(
      world.runUpdate('CREATE MATERIALIZED VIEW a (id BIGINT NOT NULL) AS SELECT NULL AS id;'),
    ).rejects.toThrow('1 of 1 rows do not meet the expectation id is not null');
  });
});

describe('what is published', () => {
  test('a table that is defined no more stays; one of another kind needs a full refresh', async () => {
    await world.putFile('in/1.csv', 'id\n1\n');
    await world.runUpdate(stream('a', `SELECT * FROM ${files}`) + view('b', 'SELECT 2 AS id'));
    await world.runUpdate(view('b', 'SELECT 3 AS id'));
    expect([await ids('a'), await ids('b')]).toEqual([[1], [3]]);
    await expect(world.runUpdate(view('a', 'SELECT 4 AS id'))).rejects.toThrow(
      'a was published as STREAMING_TABLE and is now defined as MATERIALIZED_VIEW; a full refresh of the table replaces the published data.',
    );
    await world.runUpdate(view('a', 'SELECT 4 AS id'), { fullRefresh: true });
    expect(await ids('a')).toEqual([4]);
  });

  test('queries of dashboards and other pipelines read the tables as files', async () => {
    await world.putFile('in/1.csv', 'id\n1\n2\n');
    await world.runUpdate(stream('a', `SELECT * FROM ${files}`));
    await world.putFile('in/2.csv', 'id\n3\n');
    await world.runUpdate(stream('a', `SELECT * FROM ${files}`));
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const pool = createQueryPool({
      directory: join(world.directory, 'managed_fs'),
      limits: defaultLimits,
      log,
    });
    try {
      const query = prepareQuery(
        "SELECT sum(id) AS s FROM read_files('managed_fs:/pipelines/p/current/a/*.parquet')",
        new Map(),
      );
      const pathOf = createQueryFiles(
        createRoots({ dataDirectory: world.directory, allowedRoots: [] }),
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
      storage: { directory: join(world.directory, 'managed_fs/other'), uri: 'managed_fs:/other' },
    };
    const events = await world.runUpdate(
      stream('b', "SELECT id FROM STREAM read_files('managed_fs:/pipelines/p/current/a/*.parquet')"),
      {},
      other,
    );
    expect(events.find(({ details }) => details?.flow_progress?.status === 'COMPLETED')?.message).toBe(
      'Flow b is complete: 3 rows were written.',
    );
  });

  test('two versions stay, and a storage belongs to one pipeline', async () => {
    for (let round = 0; round < 4; round += 1) await world.runUpdate(view('a', `SELECT ${round} AS id`));
    expect((await readdir(join(world.storage, 'versions'))).toSorted()).toEqual(['3', '4']);
    await expect(
      world.runUpdate(
        view('a', 'SELECT 1 AS id'),
        {},
        { pipelineId: '00000000-0000-4000-8000-000000000002' },
      ),
    ).rejects.toThrow(
      'The storage managed_fs:/pipelines/p contains the tables of another pipeline (00000000-0000-4000-8000-000000000001).',
    );
  });

  test('of two updates that publish at once, one changes nothing', async () => {
    await world.runUpdate(view('a', 'SELECT 1 AS id'));
    const slow = world.runUpdate(
      view('a', 'SELECT count(*) AS id FROM range(3000000) x WHERE hash(x.id) % 3 < 5'),
    );
    const quick = world.runUpdate(view('a', 'SELECT 2 AS id'));
    const outcomes = await Promise.allSettled([slow, quick]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(1);
    const { version } = await world.readManifest();
    expect(version).toBe(1 + outcomes.filter(({ status }) => status === 'fulfilled').length);
    expect(await ids('a')).toHaveLength(1);
  });
});
