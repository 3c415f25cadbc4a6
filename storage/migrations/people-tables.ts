/** What tokens, people and the audit log need beside the first tables. */

export const peopleTables = [
  `alter table principals
     add kind text not null default 'user',
     add display_name text not null default '',
     add email text,
     add deleted_time bigint,
     add constraint principals_kind_known check (kind in ('user', 'service_principal')),
     add constraint principals_deleted_are_inactive check (deleted_time is null or not (active or admin))`,
  // inferred_scopes: what it was used for, while it is observed. autoscope_backfilled: it was there before it
  // was observed.
  `alter table tokens
     add created_by bigint references principals on delete set null,
     add autoscope_state text not null default 'DISABLED',
     add autoscope_started_time bigint,
     add autoscope_reminded_time bigint,
     add autoscope_backfilled boolean not null default false,
     add inferred_scopes text[] not null default '{}',
     add constraint tokens_autoscope_state_known check (autoscope_state in ('RUNNING', 'COMPLETED', 'BACKFILLED', 'USER_SELECTED', 'DISABLED')),
     add constraint tokens_observed_since check (autoscope_state <> 'RUNNING' or autoscope_started_time is not null)`,
  `create index tokens_observed on tokens (token_id) where autoscope_state = 'RUNNING' and revoked_time is null`,
  `create table workspace_settings (
     name text primary key,
     value text not null)`,
  // Who may make and use tokens: everybody, until somebody says otherwise.
  `create table token_permissions (
     principal_id bigint references principals on delete cascade,
     group_name text,
     constraint token_permissions_once unique nulls not distinct (principal_id, group_name),
     constraint token_permissions_one_name check ((principal_id is null) <> (group_name is null)),
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
