/** Tables of principals, tokens, workspace settings and the audit log. */

export const peopleTables = [
  `create table principals (
     principal_id bigint generated always as identity (maxvalue 9007199254740991) primary key,
     user_name text not null constraint principals_user_name_unique unique,
     admin boolean not null,
     active boolean not null,
     created_time bigint not null,
     kind text not null default 'user',
     display_name text not null default '',
     email text,
     deleted_time bigint,
     constraint principals_user_name_given check (user_name <> ''),
     constraint principals_kind_known check (kind in ('user', 'service_principal')),
     constraint principals_deleted_are_inactive check (deleted_time is null or not (active or admin)))`,
  // inferred_scopes: the scopes that the token used while it was observed. autoscope_backfilled: the token
  // existed before autoscoping was switched on.
  `create table tokens (
     token_id text primary key,
     principal_id bigint not null references principals,
     created_by bigint references principals on delete set null,
     hash text not null constraint tokens_hash_unique unique,
     comment text not null,
     scopes text[] not null,
     created_time bigint not null,
     expiry_time bigint,
     last_accessed_time bigint not null,
     revoked_time bigint,
     autoscope_state text not null default 'DISABLED',
     autoscope_started_time bigint,
     autoscope_reminded_time bigint,
     autoscope_backfilled boolean not null default false,
     inferred_scopes text[] not null default '{}',
     constraint tokens_id_is_hex check (token_id ~ '^[0-9a-f]{64}$'),
     constraint tokens_hash_is_sha256 check (hash ~ '^[0-9a-f]{64}$'),
     constraint tokens_have_scopes check (cardinality(scopes) > 0),
     constraint tokens_expire_after_creation check (expiry_time > created_time),
     constraint tokens_autoscope_state_known check
       (autoscope_state in ('RUNNING', 'COMPLETED', 'BACKFILLED', 'USER_SELECTED', 'DISABLED')),
     constraint tokens_observed_have_start check
       (autoscope_state <> 'RUNNING' or autoscope_started_time is not null))`,
  `create index tokens_of_principal on tokens (principal_id) where revoked_time is null`,
  `create index tokens_observed on tokens (token_id) where autoscope_state = 'RUNNING' and revoked_time is null`,
  `create table workspace_settings (
     name text primary key,
     value text not null)`,
  // Principals and groups that may create and use tokens: all users until an administrator changes it.
  `create table token_permissions (
     principal_id bigint references principals on delete cascade,
     group_name text,
     constraint token_permissions_grantee_unique unique nulls not distinct (principal_id, group_name),
     constraint token_permissions_one_grantee check ((principal_id is null) <> (group_name is null)),
     constraint token_permissions_group_known check (group_name in ('users', 'admins')))`,
  `insert into token_permissions (group_name) values ('users')`,
  `create table audit_events (
     event_id bigint generated always as identity (maxvalue 9007199254740991) primary key,
     time bigint not null,
     user_name text not null,
     token_id text not null,
     source_ip text not null,
     action text not null,
     resource text not null,
     status integer not null,
     before jsonb,
     after jsonb)`,
  `create index audit_events_time on audit_events (time)`,
  `create index audit_events_of_user on audit_events (user_name, event_id desc)`,
];
