/** POST workspace/mkdirs: makes a directory of the workspace. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { ObjectPath } from '../views/object-view.ts';
import type { WorkspacePorts } from '../http/ports.ts';

/** A notebook or file in the way is 400 RESOURCE_ALREADY_EXISTS. */
export function createDirectoriesOperation({ workspace }: WorkspacePorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/workspace/mkdirs',
    versions: ['2.0'],
    scope: 'workspace',
    summary: 'Make a directory',
    description: 'Makes a directory and those above it. One that is there already is left as it is.',
    request: Type.Object({ path: ObjectPath }),
    response: Type.Object({}),
    async handle({ path }) {
      await workspace.mkdirs(path);
      return {};
    },
  });
}
