/** Kysely types of the tables of dashboards. */
import type { Generated } from 'kysely';
import type { ClassicDashboard } from '../../../engine/dashboard/classic.ts';
import type { JsonColumn } from '../json-column.ts';

export interface ClassicDashboardTable {
  dashboard_id: string;
  /** Rises with every row; the order of creation. */
  number: Generated<number>;
  name: string;
  creator: string;
  created_time: number;
  document: JsonColumn<ClassicDashboard>;
}

export interface DashboardTable {
  dashboard_id: string;
  /** Rises with every row; the order of creation. */
  number: Generated<number>;
  source_dashboard_id: string;
  display_name: string;
  parent_path: string;
  warehouse_id: string;
  creator: string;
  etag: number;
  created_time: number;
  updated_time: number;
  trashed: boolean;
  serialized: string;
  warnings: JsonColumn<string[]>;
}

export interface DashboardTables {
  classic_dashboards: ClassicDashboardTable;
  dashboards: DashboardTable;
}
