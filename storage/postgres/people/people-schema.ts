/** Rows of people-tables.ts as Kysely sees them, and the columns that it adds to the first tables. */
import type { ColumnType, Generated } from 'kysely';
import type { Group } from '../../../engine/job/permissions.ts';
import type { AutoscopeState } from '../../../engine/token/autoscope.ts';
import type { JsonObject } from '../../../engine/validation/json-object.ts';
import type { PersonKind } from '../../../engine/token/person.ts';

export interface PersonColumns {
  kind: Generated<PersonKind>;
  display_name: Generated<string>;
  email: string | null;
  deleted_time: number | null;
}

export interface AutoscopeColumns {
  created_by: number | null;
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

/** One entry of who may use tokens. */
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
  workspace_settings: WorkspaceSettingTable;
  token_permissions: TokenPermissionTable;
  audit_events: AuditEventTable;
}
