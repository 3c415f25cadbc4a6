/** A token as administrators see it. */
import { Type } from 'typebox';
import type { OwnedToken } from '../../engine/token/token.ts';
import { TokenInfo, toTokenView } from './token-view.ts';

const day = 86_400_000;

export const OwnedTokenInfo = Type.Object(
  {
    ...TokenInfo.properties,
    owner_id: Type.Integer({ description: 'Whose token it is.' }),
    owner_name: Type.String({ description: 'Their name.' }),
    created_by_id: Type.Optional(
      Type.Integer({ description: 'Whose token made it; omitted when they are gone.' }),
    ),
    created_by_username: Type.Optional(Type.String({ description: 'Their name.' })),
    workspace_id: Type.Integer({ description: 'Id of the workspace.' }),
    last_used_day: Type.Integer({ description: 'Epoch milliseconds, to the day; 0 when it was never used.' }),
  },
  { description: 'A token without its value, and who has it.' },
);

export function toOwnedTokenView(token: OwnedToken, workspaceId: string): object {
  const { ownerId, ownerName, createdBy, lastAccessedTime } = token;
  return {
    ...toTokenView(token),
    owner_id: ownerId,
    owner_name: ownerName,
    ...(createdBy !== undefined && { created_by_id: createdBy.id, created_by_username: createdBy.userName }),
    workspace_id: Number(workspaceId),
    last_used_day: Math.floor(lastAccessedTime / day) * day,
  };
}
