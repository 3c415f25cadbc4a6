/** Permission levels on jobs and access control lists. */
import { describe, expect, test } from 'vitest';
import {
  grantsAfterUpdate,
  parseGrants,
  hasSameOwner,
  permissionDenied,
  findOwner,
  permissionLevels,
  hasPermission,
  grantsAfterReplace,
  type Grant,
  type PermissionLevel,
} from '../../../../engine/job/permissions.ts';

const user = (name: string, level: PermissionLevel): Grant => ({ grantee: { kind: 'user', name }, level });
const allUsers = (level: PermissionLevel): Grant => ({ grantee: { kind: 'group', name: 'users' }, level });

test('each level includes the weaker ones and not the stronger ones', () => {
  for (const [rank, held] of permissionLevels.entries()) {
    for (const [neededRank, needed] of permissionLevels.entries())
      expect(hasPermission([held], needed)).toBe(rank >= neededRank);
  }
  expect(hasPermission([], 'CAN_VIEW')).toBe(false);
  expect(hasPermission(['CAN_VIEW', 'CAN_MANAGE'], 'CAN_MANAGE_RUN')).toBe(true);
});

test.each([
  ['CAN_VIEW', 'User u does not have View or Admin or Manage Run or Owner permissions on job 7'],
  ['CAN_MANAGE_RUN', 'User u does not have Admin or Manage Run or Owner permissions on job 7'],
  ['CAN_MANAGE', 'User u does not have Admin or Owner permissions on job 7'],
  ['IS_OWNER', 'User u does not have Owner permissions on job 7'],
] as const)('the error for a user without %s has the words that clients match', (level, message) => {
  expect(permissionDenied('u', level, 7)).toMatchObject({ code: 'PERMISSION_DENIED', message });
});

describe('an access_control_list', () => {
  test('can name users, groups and service principals', () => {
    expect(
      parseGrants([
        { user_name: 'a', permission_level: 'IS_OWNER' },
        { group_name: 'users', permission_level: 'CAN_VIEW' },
        { service_principal_name: 'b', permission_level: 'CAN_MANAGE' },
      ]),
    ).toEqual([
      user('a', 'IS_OWNER'),
      allUsers('CAN_VIEW'),
      { grantee: { kind: 'service_principal', name: 'b' }, level: 'CAN_MANAGE' },
    ]);
  });

  test.each([
    [
      [{ permission_level: 'CAN_VIEW' }],
      'access_control_list[0] has none of user_name, group_name, service_principal_name; exactly one is required.',
    ],
    [
      [{ user_name: 'a', group_name: 'users', permission_level: 'CAN_VIEW' }],
      'access_control_list[0] has more than one of user_name, group_name, service_principal_name; exactly one is required.',
    ],
    [
      [
        { user_name: 'a', permission_level: 'CAN_VIEW' },
        { user_name: 'a', permission_level: 'CAN_MANAGE' },
      ],
      'access_control_list[1] repeats "a"; each user, group or service principal can have only one level.',
    ],
    [
      [
        { user_name: 'a', permission_level: 'IS_OWNER' },
        { user_name: 'b', permission_level: 'IS_OWNER' },
      ],
      'access_control_list[1] is a second IS_OWNER; a job has exactly one owner.',
    ],
    [
      [{ group_name: 'users', permission_level: 'IS_OWNER' }],
      'access_control_list[0] makes the group "users" the owner; only a user or a service principal can own a job.',
    ],
  ] as const)('%j is refused', (list, message) => {
    expect(() => parseGrants(list)).toThrow(message);
  });
});

describe('a replaced list', () => {
  const before = [user('a', 'IS_OWNER'), user('b', 'CAN_VIEW')];
  test.each<[string, Grant[], Grant[]]>([
    ['keeps its owner', [user('c', 'CAN_VIEW')], [user('a', 'IS_OWNER'), user('c', 'CAN_VIEW')]],
    ['keeps its owner when it is empty', [], [user('a', 'IS_OWNER')]],
    [
      'keeps the ownership of an owner listed with a lower level',
      [user('a', 'CAN_VIEW')],
      [user('a', 'IS_OWNER')],
    ],
    ['takes the new owner that it names', [user('b', 'IS_OWNER')], [user('b', 'IS_OWNER')]],
  ])('%s', (_, wanted, after) => {
    expect(grantsAfterReplace(before, wanted)).toEqual(after);
  });
});

describe('an updated list', () => {
  const before = [user('a', 'IS_OWNER'), user('b', 'CAN_VIEW'), allUsers('CAN_VIEW')];
  test.each<[string, Grant[], Grant[]]>([
    [
      'keeps the grants that it does not name',
      [user('c', 'CAN_VIEW')],
      [user('a', 'IS_OWNER'), user('b', 'CAN_VIEW'), allUsers('CAN_VIEW'), user('c', 'CAN_VIEW')],
    ],
    [
      'changes the grants that it names',
      [user('b', 'CAN_MANAGE')],
      [user('a', 'IS_OWNER'), allUsers('CAN_VIEW'), user('b', 'CAN_MANAGE')],
    ],
    [
      'keeps the ownership of an owner listed with a lower level',
      [user('a', 'CAN_VIEW')],
      [user('a', 'IS_OWNER'), user('b', 'CAN_VIEW'), allUsers('CAN_VIEW')],
    ],
    [
      'leaves CAN_MANAGE to the former owner',
      [user('b', 'IS_OWNER')],
      [user('b', 'IS_OWNER'), user('a', 'CAN_MANAGE'), allUsers('CAN_VIEW')],
    ],
    [
      'gives the former owner the level that it names',
      [user('b', 'IS_OWNER'), user('a', 'CAN_VIEW')],
      [user('b', 'IS_OWNER'), allUsers('CAN_VIEW'), user('a', 'CAN_VIEW')],
    ],
  ])('%s', (_, wanted, after) => {
    expect(grantsAfterUpdate(before, wanted)).toEqual(after);
  });

  test('of a job without an owner gets the owner that it names', () => {
    expect(findOwner(grantsAfterUpdate([], [user('b', 'CAN_VIEW')]))).toBeUndefined();
    expect(findOwner(grantsAfterUpdate([], [user('b', 'IS_OWNER')]))).toEqual(user('b', 'IS_OWNER'));
  });
});

test('hasSameOwner compares the owners of two lists', () => {
  expect(hasSameOwner([user('a', 'IS_OWNER')], [user('a', 'IS_OWNER')])).toBe(true);
  expect(hasSameOwner([user('a', 'IS_OWNER')], [user('b', 'IS_OWNER')])).toBe(false);
  expect(hasSameOwner([], [])).toBe(true);
  expect(hasSameOwner([], [user('b', 'IS_OWNER')])).toBe(false);
});
