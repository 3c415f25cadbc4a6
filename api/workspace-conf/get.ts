/** GET workspace-conf: settings that administrators change while the service runs. */
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
  { description: 'Settings of the workspace, by name.' },
);

/** Shows settings of the workspace. */
export function getWorkspaceConfOperation({ tokenRules }: Pick<OperationPorts, 'tokenRules'>): Operation {
  return defineOperation({
    method: 'GET',
    path: '/workspace-conf',
    versions: ['2.0'],
    scope: 'settings',
    adminsOnly: true,
    summary: 'Get settings of the workspace',
    description: `The values of some settings, as texts. There are ${settingNames.join(', ')}.`,
    request: Type.Object({
      keys: Type.Optional(Type.String({ description: 'Names with commas between them. Default: all.' })),
    }),
    response: WorkspaceConfDocument,
    async handle({ keys }) {
      const wanted = (
        keys === undefined || keys === '' ? settingNames : keys.split(',').map((name) => name.trim())
      ).map(parseSettingName);
      const conf = await tokenRules.conf();
      return Object.fromEntries(wanted.map((name) => [name, conf[name]]));
    },
  });
}
