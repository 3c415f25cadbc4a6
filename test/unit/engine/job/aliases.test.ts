/** Deprecated aliases are read like canonical names and never rewritten. */
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import {
  canonicalUri,
  readAliased,
  spellingIn,
  uriSchemes,
  withAliases,
} from '../../../../engine/validation/aliases.ts';
import { aliasOf } from './sample-settings.ts';

test.each(uriSchemes)('%s is an alias of %s', (written, canonical) => {
  expect(canonicalUri(`${written}/a/b.jar`)).toBe(`${canonical}/a/b.jar`);
});

test.each([
  ['/dbfs/a/b', 'managed_fs:/a/b'],
  ['/dbfs//a', 'managed_fs://a'],
  ['/dbfs', 'managed_fs:/'],
  ['/dbfs/', 'managed_fs:/'],
  ['/dbfs/dbfs/a', 'managed_fs:/a'],
  ['dbfs:/dbfs/a', 'managed_fs:/a'],
  ['managed_fs:/dbfs/a', 'managed_fs:/a'],
  ['file:/dbfs/a', 'managed_fs:/a'],
  ['file:///dbfs/a', 'managed_fs:/a'],
  ['/dbfs/Volumes/main/v/a', 'managed_fs:/Volumes/main/v/a'],
  ['/Volumes/main/v/a', 'managed_fs:/Volumes/main/v/a'],
  ['file:/Volumes/main/v/a', 'managed_fs:/Volumes/main/v/a'],
  ['dbfs:/Volumes/main/v/a', 'managed_fs:/Volumes/main/v/a'],
  ['/Volumes', 'managed_fs:/Volumes'],
  ['/dbfsx/a', '/dbfsx/a'],
  ['/Volumes2/a', '/Volumes2/a'],
  ['/volumes/a', '/volumes/a'],
  ['/x/dbfs/a', '/x/dbfs/a'],
  ['managed_fs:/x/dbfs', 'managed_fs:/x/dbfs'],
  ['managed_fs:/dbfsx', 'managed_fs:/dbfsx'],
  ['dbfs/a', 'dbfs/a'],
  ['file:/other/a', 'file:/other/a'],
])('the path %s is %s', (written, canonical) => {
  expect(canonicalUri(written)).toBe(canonical);
});

test.each(['managed_fs:/a', 'objstore://bucket/x', '/local/path', 'https://host/x.whl', ''])(
  '%j is not an alias and stays unchanged',
  (uri) => {
    expect(canonicalUri(uri)).toBe(uri);
  },
);

test('an alias gets the schema of its canonical key', () => {
  const schema = Type.Optional(Type.String());
  expect(Object.entries(withAliases({ managed_fs: schema, other: schema }))).toEqual([
    ['managed_fs', schema],
    ['other', schema],
    [aliasOf('managed_fs'), schema],
    ['volumes', schema],
  ]);
});

test('a value is read under its canonical name first, then under an alias', () => {
  const written: { managed_fs?: number } = { [aliasOf('managed_fs')]: 2 };
  expect(readAliased({ managed_fs: 1 }, 'managed_fs')).toBe(1);
  expect(readAliased(written, 'managed_fs')).toBe(2);
  expect(spellingIn(written, 'managed_fs')).toBe(aliasOf('managed_fs'));
  expect(readAliased({ ...written, managed_fs: 3 }, 'managed_fs')).toBe(3);
  expect(readAliased({}, 'managed_fs')).toBeUndefined();
});
