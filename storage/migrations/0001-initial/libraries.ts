/** Tables of cluster libraries: the status of each library, and the environment that a cluster uses. */

export const libraryTables = [
  `create table cluster_libraries (
     cluster_id text not null references clusters on delete cascade,
     library_key text not null,
     position bigint generated always as identity (maxvalue 9007199254740991),
     library jsonb not null,
     status text not null,
     messages text[] not null default '{}',
     requested boolean not null,
     spark_context_id text not null,
     changed_time bigint not null,
     primary key (cluster_id, library_key),
     constraint cluster_libraries_status_known check (status in
       ('PENDING', 'RESOLVING', 'INSTALLING', 'INSTALLED', 'FAILED', 'SKIPPED', 'UNINSTALL_ON_RESTART')),
     constraint cluster_libraries_failure_has_reason check (status <> 'FAILED' or cardinality(messages) > 0))`,
  `create index cluster_libraries_in_progress on cluster_libraries (cluster_id)
     where requested and status in ('PENDING', 'RESOLVING', 'INSTALLING')`,
  `create table cluster_environments (
     cluster_id text primary key references clusters on delete cascade,
     version bigint not null,
     spark_context_id text not null,
     installed jsonb not null,
     paths jsonb not null,
     constraint cluster_environments_version_positive check (version > 0))`,
];
