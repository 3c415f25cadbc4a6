/** POST workspace/import. */
import { Type } from 'typebox';
import { decodeBase64 } from '../http/base64.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { ObjectPath } from '../views/object-view.ts';
import { importFormats, notebookLanguages } from '../../engine/job/notebook-formats.ts';
import type { WorkspacePorts } from '../http/ports.ts';

/**
 * Imports a notebook or a file into the workspace.
 * @throws ServiceError RESOURCE_ALREADY_EXISTS for an existing path without overwrite; invalid contents or
 * format
 */
export function importObjectOperation({ workspace }: WorkspacePorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/workspace/import',
    versions: ['2.0'],
    scope: 'workspace',
    fileField: 'content',
    summary: 'Import a notebook or file',
    description:
      'Stores a notebook or a file and creates missing parent directories. A notebook in format SOURCE is stored with the extension of its ' +
      'language and the notebook header in its first line; its path is valid with and without the extension. ' +
      'A multipart form may carry the contents as a file.',
    request: Type.Object({
      path: ObjectPath,
      content: Type.String({ description: 'Contents in base64.' }),
      format: Type.Optional(
        Type.Enum([...importFormats], {
          description:
            'SOURCE: a notebook in `language`. JUPYTER: an .ipynb notebook. AUTO, RAW: stored unchanged; a notebook if the first line is the notebook header. Default: SOURCE.',
        }),
      ),
      language: Type.Optional(
        Type.Enum([...notebookLanguages], {
          description: 'Required with SOURCE, unless the path has the extension of a language.',
        }),
      ),
      overwrite: Type.Optional(
        Type.Boolean({ description: 'Whether an existing object is replaced. Default: false.' }),
      ),
    }),
    response: Type.Object({}),
    async handle({ path, content, format = 'SOURCE', language, overwrite = false }) {
      await workspace.import({
        path,
        content: decodeBase64('content', content),
        format,
        language,
        overwrite,
      });
      return {};
    },
  });
}
