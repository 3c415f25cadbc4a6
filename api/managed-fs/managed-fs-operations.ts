/** Operations on managed_fs, in the order of the documentation. */
import { filePathAlias } from '../../engine/validation/aliases.ts';
import { withDeprecatedAliases } from '../http/deprecated-aliases.ts';
import type { Operation } from '../http/operation.ts';
import { addBlockOperation } from './add-block.ts';
import { closeUploadOperation } from './close.ts';
import { createUploadOperation } from './create.ts';
import { deleteFileOperation } from './delete.ts';
import { getFileStatusOperation } from './get-status.ts';
import { listFilesOperation } from './list.ts';
import { createDirectoriesOperation } from './mkdirs.ts';
import { moveFileOperation } from './move.ts';
import type { ManagedFsPorts } from '../http/ports.ts';
import { putFileOperation } from './put.ts';
import { readFileOperation } from './read.ts';

/** Creates the operations on managed_fs, with the deprecated aliases of their paths. */
export function createManagedFsOperations(ports: ManagedFsPorts): Operation[] {
  const operations = [
    putFileOperation,
    createUploadOperation,
    addBlockOperation,
    closeUploadOperation,
    readFileOperation,
    getFileStatusOperation,
    listFilesOperation,
    moveFileOperation,
    deleteFileOperation,
    createDirectoriesOperation,
  ].map((create) => create(ports));
  return withDeprecatedAliases(operations, filePathAlias);
}
