/** `runyard user`: lists, creates, changes and removes users. */
import { Type } from 'typebox';
import { toSingleLine, printLine } from './print-line.ts';
import { callService } from './service-client.ts';
import { CommandError } from '../start-error.ts';

export interface UserOptions {
  readonly displayName?: string;
  readonly email?: string;
  readonly admin?: true;
}

const User = Type.Object({
  id: Type.String(),
  userName: Type.String(),
  displayName: Type.String(),
  active: Type.Boolean(),
  groups: Type.Array(Type.Object({ display: Type.String() })),
});
const Listed = Type.Object({ totalResults: Type.Integer(), Resources: Type.Array(User) });
const usersPath = '/preview/scim/v2/Users';
const pageSize = 1_000;

const adminGroup = [{ value: 'admins' }];

/** Verb -> patch operation. The verb without an entry is `remove`. */
const patchOperations: Readonly<Record<string, object>> = {
  deactivate: { op: 'replace', path: 'active', value: false },
  activate: { op: 'replace', path: 'active', value: true },
  promote: { op: 'add', path: 'groups', value: adminGroup },
  demote: { op: 'remove', path: 'groups', value: adminGroup },
};

/** Prints id, name and status of each user. Resolves with the exit code. @throws CommandError */
export async function listUsers(): Promise<number> {
  for (let first = 1; ; first += pageSize) {
    const { totalResults, Resources: users } = await callService(
      Listed,
      'GET',
      `${usersPath}?startIndex=${first}&count=${pageSize}`,
    );
    for (const { id, userName, active, groups } of users) {
      const marks = [
        groups.some(({ display }) => display === 'admins') ? 'administrator' : '',
        active ? '' : 'inactive',
      ].filter((mark) => mark !== '');
      printLine(`${id}  ${toSingleLine(userName)}${marks.length === 0 ? '' : `  (${marks.join(', ')})`}`);
    }
    if (first + pageSize > totalResults) return 0;
  }
}

/** Creates a user and prints the id. @throws CommandError */
export async function addUser(userName: string, { displayName, email, admin }: UserOptions): Promise<number> {
  const { id } = await callService(User, 'POST', usersPath, {
    body: {
      userName,
      ...(displayName !== undefined && { displayName }),
      ...(email !== undefined && { emails: [{ value: email, primary: true }] }),
      ...(admin === true && { groups: adminGroup }),
    },
  });
  printLine(id);
  return 0;
}

/** Applies a verb to a user. @throws CommandError */
export async function updateUser(userName: string, verb: string): Promise<number> {
  const id = await findUserId(userName);
  const operation = patchOperations[verb];
  if (operation === undefined) await callService(Type.Object({}), 'DELETE', `${usersPath}/${id}`);
  else await callService(User, 'PATCH', `${usersPath}/${id}`, { body: { Operations: [operation] } });
  return 0;
}

async function findUserId(userName: string): Promise<string> {
  const filter = `userName eq "${userName.replaceAll(/["\\]/g, '\\$&')}"`;
  const {
    Resources: [user],
  } = await callService(Listed, 'GET', `${usersPath}?filter=${encodeURIComponent(filter)}`);
  if (user === undefined) throw new CommandError(`User ${toSingleLine(userName)} does not exist.`);
  return user.id;
}
