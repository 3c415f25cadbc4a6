/** GET workspace/export. */
import { basename } from 'node:path';
import { Type } from 'typebox';
import { exportFormats } from '../../engine/job/notebook-formats.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { WorkspacePorts } from '../http/ports.ts';
import { FileResponse } from '../http/streamed-response.ts';
import { ObjectPath } from '../views/object-view.ts';
import { convertExport } from './export-formats.ts';

/**
 * Returns the contents of a notebook or file of the workspace.
 * @throws ServiceError RESOURCE_DOES_NOT_EXIST for a missing path; INVALID_PARAMETER_VALUE for a directory,
 * for contents above the request limit, and for a format that the object does not have
 */
export function exportObjectOperation({ workspace }: WorkspacePorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/workspace/export',
    versions: ['2.0'],
    scope: 'workspace',
    summary: 'Export a notebook or file',
    description:
      'Returns a notebook in a format, or a file as stored. With `direct_download`, the response is the contents themselves (`application/octet-stream`).',
    request: Type.Object({
      path: ObjectPath,
      format: Type.Optional(
        Type.Enum([...exportFormats], {
          description:
            'SOURCE: the notebook as text in its language. JUPYTER: an .ipynb notebook, without outputs if it was stored as text. HTML: a page with its cells. AUTO, RAW: as stored. A file has only SOURCE, AUTO and RAW, which return it as stored. Default: SOURCE.',
        }),
      ),
      direct_download: Type.Optional(
        Type.Boolean({
          description: 'Whether the response is the contents instead of a JSON object. Default: false.',
        }),
      ),
    }),
    response: Type.Object({
      content: Type.String({ description: 'Contents in base64.' }),
      file_type: Type.String({ description: 'File extension without the dot.' }),
    }),
    async handle({ path, format = 'SOURCE', direct_download: isDirect = false }) {
      const stored = await workspace.export(path);
      const { content, fileType } = convertExport(stored, format);
      if (isDirect) return new FileResponse(content, nameOf(stored.path, fileType));
      return { content: content.toString('base64'), file_type: fileType };
    },
  });
}

/** Returns the name of the exported file. */
function nameOf(path: string, fileType: string): string {
  const name = basename(path);
  return fileType === '' || name.toLowerCase().endsWith(`.${fileType.toLowerCase()}`)
    ? name
    : `${name}.${fileType}`;
}
