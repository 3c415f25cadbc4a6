/** All operations on the workspace. */
import type { Operation } from '../http/operation.ts';
import { deleteObject } from './delete.ts';
import { exportObject } from './export.ts';
import { getObjectStatus } from './get-status.ts';
import { importObject } from './import.ts';
import { listObjects } from './list.ts';
import { makeDirectories } from './mkdirs.ts';
import type { WorkspacePorts } from '../http/ports.ts';

export function workspaceOperations(ports: WorkspacePorts): Operation[] {
  return [importObject, getObjectStatus, listObjects, exportObject, deleteObject, makeDirectories].map(
    (make) => make(ports),
  );
}
