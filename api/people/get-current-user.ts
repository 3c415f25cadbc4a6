/**
 * GET preview/scim/v2/Me: who calls. Clients ask it at their start, and take the id of the workspace from a
 * header.
 */
import { Type } from 'typebox';
import { workspaceHeaders } from '../../engine/validation/aliases.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';

const Group = Type.Object(
  { display: Type.String({ description: 'Name of the group.' }) },
  { description: 'A group.' },
);

/** Shows the owner of the token; any valid token may ask. */
export function getCurrentUserOperation({ workspaceInfo }: Pick<OperationPorts, 'workspaceInfo'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/preview/scim/v2/Me',
    versions: ['2.0'],
    scope: 'scim',
    anyScope: true,
    headers: { [workspaceHeaders.answered]: workspaceInfo.workspaceId },
    summary: 'Who am I',
    description:
      'The user who owns the token of the call. A header of the answer carries the id of the workspace.',
    request: Type.Object({}),
    response: Type.Object({
      schemas: Type.Array(Type.String(), { description: 'The schema of the answer.' }),
      id: Type.String({ description: 'Id of the user: decimal digits.' }),
      userName: Type.String({ description: 'Name of the user.' }),
      displayName: Type.String({ description: 'The same.' }),
      active: Type.Boolean({ description: 'Always true: the tokens of others do not count.' }),
      groups: Type.Array(Group, { description: 'users, and admins for administrators.' }),
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
