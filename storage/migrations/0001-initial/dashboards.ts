/** Tables of dashboards: imported classic dashboards, and dashboards of the newer format. */

export const dashboardTables = [
  // json, not jsonb: the order of keys is the order of columns in a classic chart, and jsonb does not keep it.
  `create table classic_dashboards (
     dashboard_id uuid primary key,
     number bigint generated always as identity (maxvalue 9007199254740991)
       constraint classic_dashboards_number_unique unique,
     name text not null,
     creator text not null,
     created_time bigint not null,
     document json not null,
     constraint classic_dashboards_name_given check (name <> ''))`,
  `create table dashboards (
     dashboard_id text primary key,
     number bigint generated always as identity (maxvalue 9007199254740991)
       constraint dashboards_number_unique unique,
     source_dashboard_id uuid not null,
     display_name text not null,
     parent_path text not null,
     warehouse_id text not null,
     creator text not null,
     etag bigint not null,
     created_time bigint not null,
     updated_time bigint not null,
     trashed boolean not null,
     serialized text not null,
     warnings jsonb not null,
     constraint dashboards_id_is_hex check (dashboard_id ~ '^[0-9a-f]{32}$'),
     constraint dashboards_name_given check (display_name <> ''),
     constraint dashboards_parent_absolute check (parent_path like '/%'),
     constraint dashboards_etag_positive check (etag > 0),
     constraint dashboards_times_in_order check (updated_time >= created_time))`,
  // A dashboard in the trash does not occupy its path.
  `create unique index dashboards_path_unique on dashboards (parent_path, display_name) where not trashed`,
];
