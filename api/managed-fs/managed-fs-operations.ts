/** All operations on managed_fs, under their neutral path and under the other spelling of it. */
import { filePathAlias } from '../../engine/validation/aliases.ts';
import type { Operation } from '../http/operation.ts';
import { deleteFileOperation } from './delete.ts';
import { getFileStatusOperation } from './get-status.ts';
import { listFilesOperation } from './list.ts';
import { createDirectoriesOperation } from './mkdirs.ts';
import type { ManagedFsPorts } from '../http/ports.ts';
import { putFileOperation } from './put.ts';
import { readFileOperation } from './read.ts';

export function createManagedFsOperations(ports: ManagedFsPorts): Operation[] {
  const operations = [
    putFileOperation,
    readFileOperation,
    getFileStatusOperation,
    listFilesOperation,
    deleteFileOperation,
    createDirectoriesOperation,
  ].map((make) => make(ports));
  return operations.flatMap((operation) => [operation, ...createDeprecatedAliases(operation)]);
}

function createDeprecatedAliases(operation: Operation): Operation[] {
  return Object.entries(filePathAlias)
    .filter(([, neutral]) => operation.path.startsWith(`/${neutral}/`))
    .map(([alias, neutral]) => ({
      ...operation,
      path: `/${alias}${operation.path.slice(neutral.length + 1)}`,
    }));
}
