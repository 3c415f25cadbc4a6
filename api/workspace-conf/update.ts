/** PATCH workspace-conf. */
import { Type } from 'typebox';
import { parseWorkspaceConf } from '../../engine/token/workspace-conf.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { WorkspaceConfDocument } from './get.ts';

/**
 * Updates settings of the workspace; every engine applies them from its next request on.
 * @throws ServiceError PERMISSION_DENIED for callers other than administrators; an unknown setting or
 * invalid value
 */
export function updateWorkspaceConfOperation({ tokenRules }: Pick<OperationPorts, 'tokenRules'>): Operation {
  return defineOperation({
    method: 'PATCH',
    path: '/workspace-conf',
    versions: ['2.0'],
    scope: 'settings',
    adminsOnly: true,
    summary: 'Update workspace settings',
    description: 'Updates the given settings. The change applies from the next request on.',
    request: WorkspaceConfDocument,
    response: Type.Object({}),
    async handle(input, { recordChange }) {
      const change = parseWorkspaceConf(input);
      const before = await tokenRules.changeConf(change);
      recordChange(before, { ...before, ...change });
      return {};
    },
  });
}
