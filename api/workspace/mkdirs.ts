/** POST workspace/mkdirs. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { ObjectPath } from '../views/object-view.ts';
import type { WorkspacePorts } from '../http/ports.ts';

/**
 * Creates a directory of the workspace and its parents; no effect on an existing directory.
 * @throws ServiceError RESOURCE_ALREADY_EXISTS when a notebook or file exists at the path
 */
export function createDirectoriesOperation({ workspace }: WorkspacePorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/workspace/mkdirs',
    versions: ['2.0'],
    scope: 'workspace',
    summary: 'Create a directory',
    description: 'Creates a directory and its parent directories. An existing directory stays unchanged.',
    request: Type.Object({ path: ObjectPath }),
    response: Type.Object({}),
    async handle({ path }) {
      await workspace.mkdirs(path);
      return {};
    },
  });
}
