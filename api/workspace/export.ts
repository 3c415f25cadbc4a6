/** GET workspace/export. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { ObjectPath } from '../views/object-view.ts';
import { importFormats } from '../../engine/job/notebook-formats.ts';
import type { WorkspacePorts } from '../http/ports.ts';

/**
 * Returns the contents of a notebook or file of the workspace.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for a missing path; INVALID_PARAMETER_VALUE for a directory
 * and for contents above the request limit
 */
export function exportObjectOperation({ workspace }: WorkspacePorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/workspace/export',
    versions: ['2.0'],
    scope: 'workspace',
    summary: 'Export a notebook or file',
    description:
      'Returns the stored contents without conversion; `format` is accepted for compatibility with clients.',
    request: Type.Object({
      path: ObjectPath,
      format: Type.Optional(
        Type.Enum([...importFormats], {
          description: 'Accepted and ignored; the stored contents are returned.',
        }),
      ),
    }),
    response: Type.Object({
      content: Type.String({ description: 'Contents in base64.' }),
      file_type: Type.String({ description: 'File extension without the dot.' }),
    }),
    async handle({ path }) {
      const { content, fileType } = await workspace.export(path);
      return { content: content.toString('base64'), file_type: fileType };
    },
  });
}
