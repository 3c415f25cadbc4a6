/** Token in responses to administrators. */
import { Type } from 'typebox';
import type { OwnedToken } from '../../engine/token/token.ts';
import { TokenInfo, toTokenView } from './token-view.ts';

const dayMs = 86_400_000;

export const OwnedTokenInfo = Type.Object(
  {
    ...TokenInfo.properties,
    owner_id: Type.Integer({ description: 'Id of the owner.' }),
    owner_name: Type.String({ description: 'Name of the owner.' }),
    created_by_id: Type.Optional(
      Type.Integer({ description: 'Id of the creator; absent after the deletion of the creator.' }),
    ),
    created_by_username: Type.Optional(Type.String({ description: 'Name of the creator.' })),
    workspace_id: Type.Integer({ description: 'Id of the workspace.' }),
    last_used_day: Type.Integer({
      description: 'Day of the last use, epoch milliseconds; 0 for an unused token.',
    }),
  },
  { description: 'Token with its owner, without its value.' },
);

/** Returns the document of a token with its owner. */
export function toOwnedTokenView(token: OwnedToken, workspaceId: string): object {
  const { ownerId, ownerName, createdBy, lastAccessedTime } = token;
  return {
    ...toTokenView(token),
    owner_id: ownerId,
    owner_name: ownerName,
    ...(createdBy !== undefined && { created_by_id: createdBy.id, created_by_username: createdBy.userName }),
    workspace_id: Number(workspaceId),
    last_used_day: Math.floor(lastAccessedTime / dayMs) * dayMs,
  };
}
