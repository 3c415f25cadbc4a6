/** POST workspace/import: puts a notebook or a file into the workspace. */
import { Type } from 'typebox';
import { decodeBase64 } from '../http/base64.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import { ObjectPath } from '../views/object-view.ts';
import { importFormats, notebookLanguages } from '../../engine/job/notebook-formats.ts';
import type { WorkspacePorts } from '../http/ports.ts';

/** A taken path without overwrite is 400 RESOURCE_ALREADY_EXISTS. */
export function importObjectOperation({ workspace }: WorkspacePorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/workspace/import',
    versions: ['2.0'],
    scope: 'workspace',
    fileField: 'content',
    summary: 'Import a notebook or file',
    description:
      'Folders above the path are made when they are missing. A notebook in format SOURCE is kept with the extension of its ' +
      'language and the notebook header in its first line, and is found under its path with or without that extension. ' +
      'A multipart form may carry the contents as a file.',
    request: Type.Object({
      path: ObjectPath,
      content: Type.String({ description: 'Base64 of the contents.' }),
      format: Type.Optional(
        Type.Enum([...importFormats], {
          description:
            'SOURCE (default): a notebook in `language`. JUPYTER: an .ipynb notebook. AUTO: kept as it is; a notebook when its first line is the notebook header.',
        }),
      ),
      language: Type.Optional(
        Type.Enum([...notebookLanguages], {
          description: 'Needed with SOURCE, unless the extension of the path says it.',
        }),
      ),
      overwrite: Type.Optional(Type.Boolean({ description: 'Replaces what is there. Default: false.' })),
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
