/** Workspace object in responses. */
import { createHash } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { notebookLanguages } from '../../engine/job/notebook-formats.ts';
import type { WorkspaceObject } from '../../engine/ports/files.ts';

/** Path field of all workspace operations. */
export const ObjectPath = Type.String({
  minLength: 1,
  description:
    'Absolute path in the workspace, starting with a slash. A leading /Workspace is ignored. The extension of a notebook may be omitted.',
});

export const ObjectInfo = Type.Object({
  object_type: Type.Enum(['NOTEBOOK', 'FILE', 'DIRECTORY']),
  path: Type.String({ description: 'Path; a notebook is listed without its extension.' }),
  language: Type.Optional(Type.Enum([...notebookLanguages], { description: 'Language of a notebook.' })),
  object_id: Type.Integer({ description: 'Id derived from the path.' }),
  size: Type.Optional(Type.Integer({ description: 'Size in bytes; absent for a directory.' })),
  created_at: Type.Integer({ description: 'Epoch milliseconds.' }),
  modified_at: Type.Integer({ description: 'Epoch milliseconds.' }),
});

/** Returns the document of a workspace object. */
export function toObjectView(object: WorkspaceObject): Static<typeof ObjectInfo> {
  return {
    object_type: object.type,
    path: object.path,
    ...(object.language !== undefined && { language: object.language }),
    object_id: objectIdOf(object.path),
    ...(object.type !== 'DIRECTORY' && { size: object.size }),
    created_at: object.createdAt,
    modified_at: object.modifiedAt,
  };
}

/** Returns 48 bits of a hash of the path: inodes change on replacement, and 48 bits are exact in JSON. */
function objectIdOf(path: string): number {
  return createHash('sha256').update(path).digest().readUIntBE(0, 6);
}
