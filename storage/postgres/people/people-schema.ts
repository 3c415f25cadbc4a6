/** Kysely types of the tables of principals, tokens, workspace settings and the audit log. */
import type { ColumnType, Generated } from 'kysely';
import type { Group } from '../../../engine/job/permissions.ts';
import type { AutoscopeState } from '../../../engine/token/autoscope.ts';
import type { JsonObject } from '../../../engine/validation/json-object.ts';
import type { PersonKind } from '../../../engine/token/person.ts';

export interface PrincipalTable {
  principal_id: Generated<number>;
  user_name: string;
  admin: boolean;
  active: boolean;
  created_time: number;
  kind: Generated<PersonKind>;
  display_name: Generated<string>;
  email: string | null;
  deleted_time: number | null;
}

export interface TokenTable {
  token_id: string;
  principal_id: number;
  created_by: number | null;
  hash: string;
  comment: string;
  scopes: string[];
  created_time: number;
  expiry_time: number | null;
  last_accessed_time: number;
  revoked_time: number | null;
  autoscope_state: Generated<AutoscopeState>;
  autoscope_started_time: number | null;
  autoscope_reminded_time: number | null;
  autoscope_backfilled: Generated<boolean>;
  inferred_scopes: Generated<string[]>;
}

interface WorkspaceSettingTable {
  name: string;
  value: string;
}

/** Row of a principal or group that may create and use tokens. */
interface TokenPermissionTable {
  principal_id: number | null;
  group_name: Group | null;
}

interface AuditEventTable {
  event_id: Generated<number>;
  time: number;
  user_name: string;
  token_id: string;
  source_ip: string;
  action: string;
  resource: string;
  status: number;
  before: ColumnType<JsonObject | null, string | null, never>;
  after: ColumnType<JsonObject | null, string | null, never>;
}

export interface PeopleTables {
  principals: PrincipalTable;
  tokens: TokenTable;
  workspace_settings: WorkspaceSettingTable;
  token_permissions: TokenPermissionTable;
  audit_events: AuditEventTable;
}
