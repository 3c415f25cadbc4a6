/** Definitions of pipelines for Spark, and the choice of the engine. */
import { describe, expect, test } from 'vitest';
import { defaultInventory, type Inventory } from '../../../../engine/cluster/inventory.ts';
import { resolveUpdateCompute } from '../../../../engine/pipeline-compute.ts';
import { parseDefinition } from '../../../../engine/pipeline/parse-definition.ts';
import { parseSpec, type PipelineSpec } from '../../../../engine/pipeline/pipeline-spec.ts';
import { toSparkDefinition } from '../../../../engine/pipeline/spark-definition.ts';
import { defaultLimits } from '../../../../engine/limits.ts';

const define = (text: string) => toSparkDefinition(parseDefinition([{ path: '/a.sql', text }], {}));

describe('SQL for Spark', () => {
  test.each([
    ['SELECT * FROM live.a JOIN LIVE.b', 'SELECT * FROM a JOIN b'],
    ["SELECT 'live.a' FROM a", "SELECT 'live.a' FROM a"],
    [
      "SELECT * FROM STREAM read_files('managed_fs:/x', format => 'json')",
      'SELECT * FROM STREAM runyard_files_1',
    ],
    ["SELECT * FROM STREAM(read_files('dbfs:/x.csv'))", 'SELECT * FROM STREAM(runyard_files_1)'],
  ])('%s becomes %s', (query, sql) => {
    expect(define(`CREATE MATERIALIZED VIEW t AS ${query}`).flows).toEqual([{ name: 't', target: 't', sql }]);
  });

  test('files have the options of the reader, and CSV files a header', () => {
    const query =
      "SELECT * FROM read_files('dbfs:/x/*', format => 'csv', sep => ';', inferColumnTypes => true)";
    expect(define(`CREATE MATERIALIZED VIEW t AS ${query}`).files).toEqual([
      {
        name: 'runyard_files_1',
        uri: 'managed_fs:/x/*',
        format: 'csv',
        options: { header: 'true', inferSchema: 'true', sep: ';' },
        stream: false,
      },
    ]);
  });

  test('a table has its types, format and expectations', () => {
    const clauses =
      "(id BIGINT, name STRING, CONSTRAINT c EXPECT (id > 0) ON VIOLATION DROP ROW) USING delta COMMENT 'x'";
    expect(define(`CREATE MATERIALIZED VIEW t ${clauses} AS SELECT 1`).tables).toEqual([
      {
        kind: 'MATERIALIZED_VIEW',
        name: 't',
        options: { comment: 'x', schema: '`id` BIGINT, `name` STRING', format: 'delta' },
        expectations: [{ name: 'c', condition: 'id > 0', action: 'DROP ROW' }],
      },
    ]);
  });

  test('a flow by position is refused with its place', () => {
    expect(() =>
      define('CREATE STREAMING TABLE t;\nCREATE FLOW f AS INSERT INTO t SELECT * FROM STREAM s'),
    ).toThrow(/^\/a\.sql, line 2, column 1: flow f inserts by position, .* write INSERT INTO t BY NAME\.$/);
  });
});

describe('engine of an update', () => {
  const withSpark: Inventory = { ...defaultInventory, sparkMaster: 'local[2]' };
  const engineOf = (spec: Partial<PipelineSpec>, sources: readonly string[], inventory: Inventory) =>
    resolveUpdateCompute(
      { spec: { name: 'p', configuration: {}, libraries: [], ...spec }, sources, storage: '/s' },
      inventory,
      defaultLimits,
    );
  const property = (value: string) => ({ configuration: { 'runyard.pipeline.engine': value } });

  test.each<[string, Partial<PipelineSpec>, string, Inventory, boolean]>([
    ['no Spark', {}, '/a.sql', defaultInventory, false],
    ['Spark by default', {}, '/a.sql', withSpark, true],
    ['DuckDB by the configuration', property('duckdb'), '/a.sql', withSpark, false],
    ['Spark by the configuration', property('spark'), '/a.sql', withSpark, true],
    ['Python', {}, '/a.py', withSpark, true],
  ])('%s', (_case, spec, source, inventory, isSpark) => {
    expect(engineOf(spec, [source], inventory) !== undefined).toBe(isSpark);
  });

  test.each<[Partial<PipelineSpec>, string, RegExp]>([
    [
      property('presto'),
      '/a.sql',
      /^configuration\.runyard\.pipeline\.engine is "presto"; it must be one of spark, duckdb\.$/,
    ],
    [
      {},
      '/a.py',
      /^Pipeline p needs Spark, because \/a\.py is a definition in Python, but its cluster has none\./,
    ],
    [property('spark'), '/a.sql', /because its configuration has runyard\.pipeline\.engine: spark/],
    [
      { clusters: [{ autoscale: { min_workers: 2, max_workers: 1 } }] },
      '/a.sql',
      /^clusters\[0\]\.autoscale\.max_workers is 1/,
    ],
  ])('%j with %s is refused', (spec, source, message) => {
    expect(() => engineOf(spec, [source], defaultInventory)).toThrow(message);
  });

  test('the tables stay in the storage, and properties of the pipeline reach the driver', () => {
    const spec = parseSpec(
      'name: p\nclusters:\n  - num_workers: 2\n    spark_conf: {spark.a: "1"}\nconfiguration: {spark.b: 2, c: 3}\n' +
        'libraries:\n  - maven: {coordinates: "g:a:1"}\n',
      '/p/spark-pipeline.yml',
    );
    expect(engineOf(spec, [], withSpark)).toEqual({
      cluster: {
        spark_version: '4.3.0',
        num_workers: 2,
        spark_conf: expect.objectContaining({
          'spark.sql.warehouse.dir': 'file:///s/current',
          'spark.a': '1',
          'spark.b': '2',
        }),
      },
      libraries: [{ maven: { coordinates: 'g:a:1' } }],
    });
  });
});
