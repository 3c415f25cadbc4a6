/** Tables of the nodes (engines) that share the database, and of the installation. */

export const nodeTables = [
  `create table nodes (
     node_id text primary key,
     host text not null,
     boot_id text not null,
     pid integer not null,
     process_start text not null,
     directory_id text not null,
     joined_time bigint not null,
     lease_until bigint not null)`,
  // One row. Run ids start at 1 in every database, so run files of two installations could collide; the
  // installation id tells the data directories apart.
  `create table installation (installation_id uuid primary key)`,
  `insert into installation values (gen_random_uuid())`,
];
