/** Grantee of an access control list in responses. */
import type { Grantee } from '../../engine/job/permissions.ts';

const nameField: Readonly<Record<Grantee['kind'], string>> = {
  user: 'user_name',
  group: 'group_name',
  service_principal: 'service_principal_name',
};

/** Returns the name of a grantee under the field of its kind, and its display name unless it is a group. */
export function granteeField({ kind, name }: Grantee): object {
  return { [nameField[kind]]: name, ...(kind !== 'group' && { display_name: name }) };
}
