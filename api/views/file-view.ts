/** File of managed_fs in responses. */
import { Type, type Static } from 'typebox';
import type { ManagedFile } from '../../engine/ports/files.ts';

/** Path field of all managed_fs operations. */
export const FilePath = Type.String({
  minLength: 1,
  description: 'Absolute path in managed_fs, with or without the scheme managed_fs:.',
});

export const FileInfo = Type.Object({
  path: Type.String(),
  is_dir: Type.Boolean(),
  file_size: Type.Integer({ description: 'Bytes; 0 for a directory.' }),
  modification_time: Type.Integer({ description: 'Epoch milliseconds.' }),
});

/** Returns the document of a file. */
export function toFileView(file: ManagedFile): Static<typeof FileInfo> {
  return {
    path: file.path,
    is_dir: file.kind === 'directory',
    file_size: file.size,
    modification_time: file.modifiedAt,
  };
}
