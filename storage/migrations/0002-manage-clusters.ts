/**
 * Pinned and restarting clusters, access control lists of clusters, and the instance pools and policies that the
 * API manages beside the configured ones.
 */

export const manageClusters = [
  // restarting: the cluster is PENDING because of a restart, not of a first start.
  // permissions_set: false until the access control list is changed; all users may manage the cluster then.
  `alter table clusters
     add column pinned_time bigint,
     add column restarting boolean not null default false,
     add column permissions_set boolean not null default false`,
  `create index clusters_pinned on clusters (cluster_id) where pinned_time is not null`,
  `create table cluster_permissions (
     cluster_id text not null references clusters on delete cascade,
     principal_id bigint references principals on delete cascade,
     group_name text,
     level text not null,
     constraint cluster_permissions_grantee_unique unique nulls not distinct (cluster_id, principal_id, group_name),
     constraint cluster_permissions_one_grantee check ((principal_id is null) <> (group_name is null)),
     constraint cluster_permissions_group_known check (group_name in ('users', 'admins')),
     constraint cluster_permissions_level_known check (level in ('CAN_ATTACH_TO', 'CAN_RESTART', 'CAN_MANAGE')))`,
  `create index cluster_permissions_of_principal on cluster_permissions (principal_id)`,
  `create table instance_pools (
     instance_pool_id text primary key,
     name text not null constraint instance_pools_name_unique unique,
     spec jsonb not null,
     created_time bigint not null)`,
  `create table cluster_policies (
     policy_id text primary key,
     name text not null constraint cluster_policies_name_unique unique,
     definition text not null,
     description text not null default '',
     max_clusters_per_user bigint,
     creator text not null,
     created_time bigint not null)`,
];
