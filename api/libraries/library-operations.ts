/** Operations on the libraries of clusters, in the order of the documentation. */
import type { Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { getLibraryStatusOperation } from './get-status.ts';
import { installLibrariesOperation } from './install.ts';
import { listLibraryStatusesOperation } from './list-statuses.ts';
import { uninstallLibrariesOperation } from './uninstall.ts';

/** Creates the operations on cluster libraries. */
export function createLibraryOperations(ports: OperationPorts): Operation[] {
  return [
    installLibrariesOperation,
    uninstallLibrariesOperation,
    getLibraryStatusOperation,
    listLibraryStatusesOperation,
  ].map((create) => create(ports));
}
