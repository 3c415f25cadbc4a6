/** The operations on people, on the tokens of everybody, and on what administrators set and read. */
import { listAuditOperation } from '../audit/list.ts';
import { createServicePrincipalOperation, createUserOperation } from './create.ts';
import { deletePersonOperation } from './delete.ts';
import { getPersonOperation } from './get.ts';
import { listPeopleOperation } from './list.ts';
import { updatePersonOperation } from './update.ts';
import { createTokenOnBehalfOperation } from '../token-management/create.ts';
import { deleteAnyTokenOperation } from '../token-management/delete.ts';
import { getAnyTokenOperation } from '../token-management/get.ts';
import { listAllTokensOperation } from '../token-management/list.ts';
import { updateAnyTokenOperation } from '../token-management/update.ts';
import { updateTokenPermissionsOperation } from '../token-permissions/update.ts';
import { getTokenPermissionsOperation } from '../token-permissions/get.ts';
import { listTokenPermissionLevelsOperation } from '../token-permissions/list-levels.ts';
import { replaceTokenPermissionsOperation } from '../token-permissions/replace.ts';
import { getWorkspaceConfOperation } from '../workspace-conf/get.ts';
import { updateWorkspaceConfOperation } from '../workspace-conf/update.ts';

/** In the order of the documentation. */
export const peopleOperationFactories = [
  listPeopleOperation('user'),
  createUserOperation,
  getPersonOperation('user'),
  updatePersonOperation('user'),
  deletePersonOperation('user'),
  listPeopleOperation('service_principal'),
  createServicePrincipalOperation,
  getPersonOperation('service_principal'),
  updatePersonOperation('service_principal'),
  deletePersonOperation('service_principal'),
  createTokenOnBehalfOperation,
  listAllTokensOperation,
  getAnyTokenOperation,
  updateAnyTokenOperation,
  deleteAnyTokenOperation,
  getTokenPermissionsOperation,
  replaceTokenPermissionsOperation,
  updateTokenPermissionsOperation,
  listTokenPermissionLevelsOperation,
  getWorkspaceConfOperation,
  updateWorkspaceConfOperation,
  listAuditOperation,
];
