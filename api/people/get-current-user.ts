/** GET preview/scim/v2/Me. Clients call it at start-up and read the workspace id from a response header. */
import { Type } from 'typebox';
import { workspaceHeaders } from '../../engine/validation/aliases.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';

const Group = Type.Object(
  { display: Type.String({ description: 'Name of the group.' }) },
  { description: 'Group of users.' },
);

/** Returns the owner of the token of the request; any valid token is accepted (spec 5). */
export function getCurrentUserOperation({ workspaceInfo }: Pick<OperationPorts, 'workspaceInfo'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/preview/scim/v2/Me',
    versions: ['2.0'],
    scope: 'scim',
    anyScope: true,
    headers: { [workspaceHeaders.answered]: workspaceInfo.workspaceId },
    summary: 'Get the current user',
    description:
      'Returns the user who owns the token of the request. A response header contains the id of the workspace.',
    request: Type.Object({}),
    response: Type.Object({
      schemas: Type.Array(Type.String(), { description: 'Schema of the response.' }),
      id: Type.String({ description: 'Id of the user, decimal digits.' }),
      userName: Type.String({ description: 'Name of the user.' }),
      displayName: Type.String({ description: 'Same as userName.' }),
      active: Type.Boolean({ description: 'Always true: tokens of inactive users are invalid.' }),
      groups: Type.Array(Group, { description: 'Group users, and group admins for administrators.' }),
    }),
    async handle(_input, { caller }) {
      return {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
        id: String(caller.principalId),
        userName: caller.userName,
        displayName: caller.userName,
        active: true,
        groups: [...(caller.admin ? [{ display: 'admins' }] : []), { display: 'users' }],
      };
    },
  });
}
