/** PATCH workspace-conf. */
import { Type } from 'typebox';
import { parseWorkspaceConf } from '../../engine/token/workspace-conf.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { WorkspaceConfDocument } from './get.ts';

/** Changes settings of the workspace; every engine follows with its next request. */
export function updateWorkspaceConfOperation({ tokenRules }: Pick<OperationPorts, 'tokenRules'>): Operation {
  return defineOperation({
    method: 'PATCH',
    path: '/workspace-conf',
    versions: ['2.0'],
    scope: 'settings',
    adminsOnly: true,
    summary: 'Change settings of the workspace',
    description: 'Sets the settings that are named; the next request finds them changed.',
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
