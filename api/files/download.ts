/** GET fs/files/{file_path}. */
import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { ServiceError } from '../../engine/errors.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ManagedFsPorts } from '../http/ports.ts';
import { StreamedResponse } from '../http/streamed-response.ts';
import { parseRange } from './byte-range.ts';
import { fileHeadersOf } from './get-metadata.ts';
import { requireKind, VolumePath } from './volume-path.ts';

/**
 * Streams a file, or the part of it that the header Range names.
 * @throws ServiceError NOT_FOUND for a missing file; PRECONDITION_FAILED when it was changed after the time in
 * If-Unmodified-Since; RANGE_NOT_SATISFIABLE for a range behind its end
 */
export function downloadFileOperation({ managedFiles }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'GET',
    path: '/fs/files/:file_path*',
    versions: ['2.0'],
    scope: 'files',
    summary: 'Download a file',
    description:
      'Returns the bytes of a file. The header `Range` selects a part; `If-Unmodified-Since` refuses a file that was changed since.',
    mediaType: 'application/octet-stream',
    request: Type.Object({ file_path: VolumePath }),
    response: Type.String({ description: 'The contents of the file.' }),
    async handle({ file_path: path }, { download: { range: wanted, unmodifiedSince } }) {
      await requireKind(managedFiles, path, 'file');
      const file = await managedFiles.open(path);
      const { size, modifiedAt } = file;
      try {
        // The header has whole seconds.
        if (unmodifiedSince !== undefined && Date.parse(unmodifiedSince) < Math.floor(modifiedAt / 1e3) * 1e3)
          throw new ServiceError(
            'PRECONDITION_FAILED',
            `The file ${path} was changed after ${unmodifiedSince}.`,
          );
        const range = parseRange(wanted, size);
        const { start, end } = range ?? { start: 0, end: size - 1 };
        const headers = {
          ...fileHeadersOf({ size: end - start + 1, modifiedAt }),
          ...(range !== undefined && { 'content-range': `bytes ${start}-${end}/${size}` }),
        };
        if (size > 0)
          return new StreamedResponse(file.read(start, end), headers, range === undefined ? 200 : 206);
        await file.close();
        return new StreamedResponse(Readable.from([]), headers);
      } catch (error) {
        await file.close();
        throw error;
      }
    },
  });
}
