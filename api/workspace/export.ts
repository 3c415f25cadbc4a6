/** GET workspace/export: the contents of a notebook or file of the workspace. */
import { Type } from 'typebox';
import { defineOperation, type Operation } from '../http/operation.ts';
import { ObjectPath } from '../views/object-view.ts';
import { importFormats } from '../../engine/job/notebook-formats.ts';
import type { WorkspacePorts } from '../http/ports.ts';

/** A missing path is 404 RESOURCE_DOES_NOT_EXIST; a directory and what exceeds a request's size are 400. */
export function exportObjectOperation({ workspace }: WorkspacePorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/workspace/export',
    versions: ['2.0'],
    scope: 'workspace',
    summary: 'Export a notebook or file',
    description:
      'Answers with the contents as they are kept. Nothing is converted: `format` is accepted for clients that send it.',
    request: Type.Object({
      path: ObjectPath,
      format: Type.Optional(
        Type.Enum([...importFormats], {
          description: 'Whatever is asked for, an object is given as it is kept.',
        }),
      ),
    }),
    response: Type.Object({
      content: Type.String({ description: 'Base64 of the contents.' }),
      file_type: Type.String({ description: 'Extension of the file, without its dot.' }),
    }),
    async handle({ path }) {
      const { content, fileType } = await workspace.export(path);
      return { content: content.toString('base64'), file_type: fileType };
    },
  });
}
