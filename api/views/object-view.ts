/** How an object of the workspace is shown. */
import { createHash } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { notebookLanguages } from '../../engine/job/notebook-formats.ts';
import type { WorkspaceObject } from '../../engine/ports/files.ts';

/** The path field of every workspace operation. */
export const ObjectPath = Type.String({
  minLength: 1,
  description:
    'Absolute path in the workspace, begins with a slash. A leading /Workspace means the same without it; a notebook may be named without its extension.',
});

export const ObjectInfo = Type.Object({
  object_type: Type.Enum(['NOTEBOOK', 'FILE', 'DIRECTORY']),
  path: Type.String({ description: 'A notebook is shown without its extension.' }),
  language: Type.Optional(Type.Enum([...notebookLanguages], { description: 'Of a notebook.' })),
  object_id: Type.Integer({ description: 'Stays the same as long as the path does.' }),
  size: Type.Optional(Type.Integer({ description: 'Bytes; not of a directory.' })),
  created_at: Type.Integer({ description: 'Epoch ms.' }),
  modified_at: Type.Integer({ description: 'Epoch ms.' }),
});

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

/**
 * Files have no ids of their own that survive being replaced; 48 bits of a hash of the path are exact in
 * JSON.
 */
function objectIdOf(path: string): number {
  return createHash('sha256').update(path).digest().readUIntBE(0, 6);
}
