/** GET fs/directories/{directory_path}. */
import { Type, type Static } from 'typebox';
import { invalid } from '../../engine/errors.ts';
import { fixedLimits } from '../../engine/limits.ts';
import type { ManagedFile } from '../../engine/ports/files.ts';
import { quote } from '../../engine/validation/messages.ts';
import { defineOperation, type Operation } from '../http/operation.ts';
import type { ManagedFsPorts } from '../http/ports.ts';
import { requireKind, VolumePath } from './volume-path.ts';

const DirectoryEntry = Type.Object({
  path: Type.String(),
  name: Type.String(),
  is_directory: Type.Boolean(),
  file_size: Type.Optional(Type.Integer({ description: 'Bytes; files only.' })),
  last_modified: Type.Integer({ description: 'Epoch milliseconds.' }),
});

const tokenPrefix = 'after:';

/**
 * Lists the entries of a directory page by page.
 * @throws ServiceError NOT_FOUND for a missing directory; INVALID_PARAMETER_VALUE for an unknown page_token
 */
export function listDirectoryOperation({ managedFiles }: ManagedFsPorts): Operation {
  const maximum = fixedLimits.directoryEntries;
  return defineOperation({
    method: 'GET',
    path: '/fs/directories/:directory_path*',
    versions: ['2.0'],
    scope: 'files',
    summary: 'List the contents of a directory',
    description: 'Lists the files and directories of a directory by name.',
    request: Type.Object({
      directory_path: VolumePath,
      page_size: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: `Maximum number of entries. Default, and used for 0 and larger values: ${maximum}.`,
        }),
      ),
      page_token: Type.Optional(Type.String({ description: 'next_page_token of the previous page.' })),
    }),
    response: Type.Object({
      contents: Type.Array(DirectoryEntry),
      next_page_token: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
    }),
    async handle({ directory_path: given, page_size: size = 0, page_token: token = '' }) {
      const path = given.replace(/\/+$/, '');
      await requireKind(managedFiles, path, 'directory');
      const limit = size === 0 ? maximum : Math.min(size, maximum);
      const found = await managedFiles.listAfter(path, parseToken(token), limit + 1);
      const contents = found.slice(0, limit).map((entry) => toDirectoryEntry(path, entry));
      const last = contents.at(-1);
      if (found.length <= limit || last === undefined) return { contents };
      return { contents, next_page_token: Buffer.from(tokenPrefix + last.name).toString('base64url') };
    },
  });
}

/** Returns the name after which a page begins. */
function parseToken(token: string): string {
  const text = Buffer.from(token, 'base64url').toString('utf8');
  if (token !== '' && !text.startsWith(tokenPrefix))
    throw invalid(`page_token is ${quote(token)}; it must be the next_page_token of a previous page.`);
  return text.slice(tokenPrefix.length);
}

/** Returns the document of an entry, with its path in the spelling of the request. */
function toDirectoryEntry(directory: string, entry: ManagedFile): Static<typeof DirectoryEntry> {
  const name = entry.path.slice(entry.path.lastIndexOf('/') + 1);
  return {
    path: `${directory}/${name}`,
    name,
    is_directory: entry.kind === 'directory',
    ...(entry.kind === 'file' && { file_size: entry.size }),
    last_modified: entry.modifiedAt,
  };
}
