/** All operations on managed_fs, under their neutral path and under the other spelling of it. */
import { filePathAlias } from '../../engine/validation/aliases.ts';
import type { Operation } from '../http/operation.ts';
import { deleteFile } from './delete.ts';
import { getFileStatus } from './get-status.ts';
import { listFiles } from './list.ts';
import { makeFileDirectories } from './mkdirs.ts';
import type { ManagedFsPorts } from '../http/ports.ts';
import { putFile } from './put.ts';
import { readFile } from './read.ts';

export function managedFsOperations(ports: ManagedFsPorts): Operation[] {
  const operations = [putFile, readFile, getFileStatus, listFiles, deleteFile, makeFileDirectories].map(
    (make) => make(ports),
  );
  return operations.flatMap((operation) => [operation, ...otherSpellings(operation)]);
}

function otherSpellings(operation: Operation): Operation[] {
  return Object.entries(filePathAlias)
    .filter(([, neutral]) => operation.path.startsWith(`/${neutral}/`))
    .map(([alias, neutral]) => ({
      ...operation,
      path: `/${alias}${operation.path.slice(neutral.length + 1)}`,
    }));
}
