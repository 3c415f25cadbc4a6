/** Spec files of pipelines, and glob patterns of their libraries. */
import { describe, expect, test } from 'vitest';
import { toPipelineSpec } from '../../../../engine/pipeline/pipeline-document.ts';
import { baseFolderOf, globToRegExp } from '../../../../engine/pipeline/glob.ts';
import { parseSpec } from '../../../../engine/pipeline/pipeline-spec.ts';

const read = (text: string) => parseSpec(text, '/p/spark-pipeline.yml');

test('all keys of a spec file are read', () => {
  expect(
    read(
      'name: sales\nstorage: dbfs:/pipelines/sales\ncatalog: main\ndatabase: prod\nconfiguration:\n  region: north\n  days: 7\nlibraries:\n  - glob:\n      include: transformations/**\n',
    ),
  ).toEqual({
    name: 'sales',
    storage: 'dbfs:/pipelines/sales',
    catalog: 'main',
    schema: 'prod',
    configuration: { region: 'north', days: '7' },
    libraries: [{ glob: { include: 'transformations/**' } }],
  });
});

test.each([
  ['', /^\/p\/spark-pipeline\.yml is null; it must be a list of keys/],
  ['name: [', /^\/p\/spark-pipeline\.yml: .+at line 1/],
  ['storage: managed_fs:/x', /lacks the key name\./],
  ['name: x\nlibrary: []', /has the unknown key "library"; did you mean libraries\?/],
  [
    'name: x\nstorage: file:///tmp/x',
    /: storage is "file:\/\/\/tmp\/x"; it must be a directory below managed_fs:\/, such as managed_fs:\/pipelines\/x\./,
  ],
  ['name: x\nstorage: managed_fs:/', /: storage is "managed_fs:\/"; it must be/],
  ['name: " x"', /: name is " x"; it must have/],
  ['name: x\ndatabase: a\nschema: b', /has database and schema, which mean the same/],
  [
    'name: x\nlibraries:\n  - file: a.sql',
    /: libraries\[0\] is \{"file":"a\.sql"\}; it must be glob: with include:/,
  ],
  ['name: x\nconfiguration: [1]', /: configuration is \[1\]; it must be a map of texts\./],
])('%j is refused', (text, message) => {
  expect(() => read(text)).toThrow(message);
});

test('a request with target sets the schema', () => {
  expect(toPipelineSpec({ name: 'x', target: 'prod' }).schema).toBe('prod');
});

describe('glob patterns', () => {
  test.each([
    ['/a/**', ['/a/b.sql', '/a/b/c.sql'], ['/ab.sql', '/b/a/c.sql']],
    ['/a/*.sql', ['/a/b.sql'], ['/a/b/c.sql', '/a/b.sqlx', '/a/bxsql']],
    ['/a/**/c.sql', ['/a/c.sql', '/a/b/b/c.sql'], ['/a/bc.sql']],
    ['/a/{x,y}-[0-9]?.csv', ['/a/x-1a.csv', '/a/y-23.csv'], ['/a/z-11.csv', '/a/x-a1.csv']],
    ['/a/[!_]*.csv', ['/a/b.csv'], ['/a/_b.csv']],
    ['/a/b.sql', ['/a/b.sql'], ['/a/bxsql', '/a/b.sql/c']],
    ['/a/(b)+$', ['/a/(b)+$'], ['/a/bb']],
  ])('%s', (pattern, matching, others) => {
    expect(matching.filter((path) => !globToRegExp(pattern).test(path))).toEqual([]);
    expect(others.filter((path) => globToRegExp(pattern).test(path))).toEqual([]);
  });

  test('the base folder of a pattern is the path before its first wildcard', () => {
    expect(['/a/b/*.csv', '/a/b*/c', '/*', '/a/b'].map(baseFolderOf)).toEqual(['/a/b', '/a', '/', '/a']);
  });
});
