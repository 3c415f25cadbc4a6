/** HEAD fs/files/{file_path}. */
import { Type } from 'typebox';
import { toDate } from '../../engine/clock.ts';
import type { ManagedFile } from '../../engine/ports/files.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ManagedFsPorts } from '../http/ports.ts';
import { HeadResponse } from '../http/streamed-response.ts';
import { requireKind, VolumePath } from './volume-path.ts';

/**
 * Returns size and modification time of a file as headers.
 * @throws ServiceError NOT_FOUND for a missing file
 */
export function getFileMetadataOperation({ managedFiles }: ManagedFsPorts): Operation {
  return defineOperation({
    method: 'HEAD',
    path: '/fs/files/:file_path*',
    versions: ['2.0'],
    scope: 'files',
    summary: 'Get the metadata of a file',
    description:
      'Returns the size of a file as `Content-Length` and its modification time as `Last-Modified`, without a body.',
    request: Type.Object({ file_path: VolumePath }),
    response: Type.Object({}),
    handle: async ({ file_path: path }) =>
      new HeadResponse(fileHeadersOf(await requireKind(managedFiles, path, 'file'))),
  });
}

/** Returns the headers of a file. */
export function fileHeadersOf({
  size,
  modifiedAt,
}: Pick<ManagedFile, 'size' | 'modifiedAt'>): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/octet-stream',
    'content-length': String(size),
    'last-modified': toDate(modifiedAt).toUTCString(),
    'accept-ranges': 'bytes',
  };
}
