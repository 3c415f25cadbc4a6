/** POST fs/files/{file_path}?action=initiate-upload. */
import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import { ServiceError } from '../../engine/errors.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ManagedFsPorts } from '../http/ports.ts';
import { checkVolumePath, VolumePath } from './volume-path.ts';

/**
 * Answers the request with which SDKs begin the upload of a file above 50 MB. Hosted workspaces then hand out
 * signed URLs of their object store. This service has no such URLs and no operation that creates them, so the
 * SDKs fall back to one PUT request with the whole file, as they do behind a firewall.
 * @throws ServiceError ALREADY_EXISTS for an existing path with overwrite=false
 */
export function initiateUploadOperation({ managedFiles }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'POST',
    path: '/fs/files/:file_path*',
    versions: ['2.0'],
    scope: 'files',
    summary: 'Begin the upload of a large file',
    description:
      'Answers SDKs that ask for an upload in parts. There are no URLs for parts: they upload the file in one PUT request.',
    fileBody: true,
    request: Type.Object({
      file_path: VolumePath,
      action: Type.Enum(['initiate-upload'], { description: 'The only action of this service.' }),
      overwrite: Type.Optional(
        Type.Boolean({ description: 'Whether an existing file is replaced. Default: true.' }),
      ),
    }),
    response: Type.Object({
      resumable_upload: Type.Object({ session_token: Type.String({ description: 'Has no further use.' }) }),
    }),
    async handle({ file_path: path, overwrite = true }) {
      checkVolumePath(path);
      const taken = overwrite ? undefined : await managedFiles.getStatus(path).catch(() => undefined);
      if (taken !== undefined)
        throw new ServiceError('ALREADY_EXISTS', `A ${taken.kind} already exists at the input path ${path}.`);
      return { resumable_upload: { session_token: randomUUID() } };
    },
  });
}
