/** Vendor spellings, taken from their table, are read like the neutral words and never rewritten. */
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import {
  canonicalKeys,
  canonicalUri,
  readAliased,
  spellingIn,
  uriSchemes,
  withAliases,
} from '../../../../engine/validation/aliases.ts';
import { aliasOf } from './sample-settings.ts';

test.each(uriSchemes)('%s means %s', (written, neutral) => {
  expect(canonicalUri(`${written}/a/b.jar`)).toBe(`${neutral}/a/b.jar`);
});

test.each(['managed_fs:/a', 'objstore://bucket/x', '/local/path', 'https://host/x.whl', ''])(
  '%j stays as it is',
  (uri) => {
    expect(canonicalUri(uri)).toBe(uri);
  },
);

test('an alias key gets the schema of its neutral key', () => {
  const place = Type.Optional(Type.String());
  expect(Object.entries(withAliases({ managed_fs: place, other: place }))).toEqual([
    ['managed_fs', place],
    ['other', place],
    [aliasOf('managed_fs'), place],
  ]);
});

test('a value is read under its neutral name or an alias, the neutral name first', () => {
  const written: { managed_fs?: number } = { [aliasOf('managed_fs')]: 2 };
  expect(readAliased({ managed_fs: 1 }, 'managed_fs')).toBe(1);
  expect(readAliased(written, 'managed_fs')).toBe(2);
  expect(spellingIn(written, 'managed_fs')).toBe(aliasOf('managed_fs'));
  expect(readAliased({ ...written, managed_fs: 3 }, 'managed_fs')).toBe(3);
  expect(readAliased({}, 'managed_fs')).toBeUndefined();
});

test('canonical keys rename aliases only', () => {
  expect(canonicalKeys({ [aliasOf('cloud_attributes')]: 1, op: 2, name: 3 })).toEqual({
    cloud_attributes: 1,
    operator: 2,
    name: 3,
  });
});
