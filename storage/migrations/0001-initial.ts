/** The schema as it was first released. Do not edit: see registry.ts on how to change the schema. */
import { clusterTables } from './0001-initial/clusters.ts';
import { dashboardTables } from './0001-initial/dashboards.ts';
import { jobTables } from './0001-initial/jobs.ts';
import { libraryTables } from './0001-initial/libraries.ts';
import { nodeTables } from './0001-initial/nodes.ts';
import { notificationTables } from './0001-initial/notifications.ts';
import { peopleTables } from './0001-initial/people.ts';
import { pipelineTables } from './0001-initial/pipelines.ts';
import { runTables } from './0001-initial/runs.ts';

/** Statements in order: a table comes after the tables that it references. */
export const initial: readonly string[] = [
  ...peopleTables,
  ...jobTables,
  ...runTables,
  ...clusterTables,
  ...nodeTables,
  ...notificationTables,
  ...dashboardTables,
  ...libraryTables,
  ...pipelineTables,
];
