/** GET workspace-conf: settings that administrators change at run time. */
import { Type } from 'typebox';
import { parseSettingName, workspaceSettings } from '../../engine/token/workspace-conf.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';

const settingNames = Object.keys(workspaceSettings);

export const WorkspaceConfDocument = Type.Object(
  Object.fromEntries(
    Object.entries(workspaceSettings).map(([name, { description, rule }]) => [
      name,
      Type.Optional(
        Type.Union([Type.String(), Type.Boolean(), Type.Integer()], {
          description: `${description} A text: ${rule}.`,
        }),
      ),
    ]),
  ),
  { description: 'Workspace settings by name.' },
);

/**
 * Returns settings of the workspace.
 * @throws ServiceError PERMISSION_DENIED for callers other than administrators; an unknown setting
 */
export function getWorkspaceConfOperation({ tokenRules }: Pick<OperationPorts, 'tokenRules'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/workspace-conf',
    versions: ['2.0'],
    scope: 'settings',
    adminsOnly: true,
    summary: 'Get workspace settings',
    description: `Returns the values of settings as texts. Settings: ${settingNames.join(', ')}.`,
    request: Type.Object({
      keys: Type.Optional(Type.String({ description: 'Comma-separated names. Default: all settings.' })),
    }),
    response: WorkspaceConfDocument,
    async handle({ keys }) {
      const names = (
        keys === undefined || keys === '' ? settingNames : keys.split(',').map((name) => name.trim())
      ).map(parseSettingName);
      const conf = await tokenRules.conf();
      return Object.fromEntries(names.map((name) => [name, conf[name]]));
    },
  });
}
