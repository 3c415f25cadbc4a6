/** The tables of dashboards as Kysely sees them. */
import type { ColumnType, Generated } from 'kysely';
import type { ClassicDashboard } from '../../../engine/dashboard/classic.ts';

export interface ClassicDashboardTable {
  dashboard_id: string;
  /** In the order of creation. */
  number: Generated<number>;
  name: string;
  creator: string;
  created_time: number;
  document: ColumnType<ClassicDashboard, string, string>;
}

export interface DashboardTable {
  dashboard_id: string;
  /** In the order of creation. */
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
  warnings: ColumnType<string[], string, string>;
}

export interface DashboardTables {
  classic_dashboards: ClassicDashboardTable;
  dashboards: DashboardTable;
}
