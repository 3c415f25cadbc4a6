/** Operations on users and service principals (SCIM), in the order of the documentation. */
import type { Operation } from '../http/operation.ts';
import type { OperationPorts } from '../http/ports.ts';
import { createServicePrincipalOperation } from './create-service-principal.ts';
import { createUserOperation } from './create-user.ts';
import { deletePersonOperation } from './delete.ts';
import { getPersonOperation } from './get.ts';
import { listPeopleOperation } from './list.ts';
import { updatePersonOperation } from './update.ts';

/** Creates the operations on users and service principals. */
export function createPeopleOperations(ports: OperationPorts): Operation[] {
  return [
    listPeopleOperation('user', ports),
    createUserOperation(ports),
    getPersonOperation('user', ports),
    updatePersonOperation('user', ports),
    deletePersonOperation('user', ports),
    listPeopleOperation('service_principal', ports),
    createServicePrincipalOperation(ports),
    getPersonOperation('service_principal', ports),
    updatePersonOperation('service_principal', ports),
    deletePersonOperation('service_principal', ports),
  ];
}
