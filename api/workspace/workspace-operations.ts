/** Operations on workspace objects, in the order of the documentation. */
import type { Operation } from '../http/operation.ts';
import { deleteObjectOperation } from './delete.ts';
import { exportObjectOperation } from './export.ts';
import { getObjectStatusOperation } from './get-status.ts';
import { importObjectOperation } from './import.ts';
import { listObjectsOperation } from './list.ts';
import { createDirectoriesOperation } from './mkdirs.ts';
import type { WorkspacePorts } from '../http/ports.ts';

/** Creates the operations on notebooks, files and directories of the workspace. */
export function createWorkspaceOperations(ports: WorkspacePorts): Operation[] {
  return [
    importObjectOperation,
    getObjectStatusOperation,
    listObjectsOperation,
    exportObjectOperation,
    deleteObjectOperation,
    createDirectoriesOperation,
  ].map((create) => create(ports));
}
