/** Definition of a pipeline: tables, views, and the flows that write the tables. */
import type { SourceLocation } from './source-location.ts';

/** Action for a row that violates an expectation; `WARN` keeps and counts it. */
export type ViolationAction = 'WARN' | 'DROP ROW' | 'FAIL UPDATE';

export interface Expectation {
  readonly name: string;
  /** Condition in SQL. */
  readonly condition: SourceSql;
  readonly onViolation: ViolationAction;
}

/** SQL text of a file. */
export interface SourceSql {
  readonly text: string;
  readonly location: SourceLocation;
}

export interface DeclaredColumn {
  readonly name: string;
  readonly type: string | undefined;
  readonly comment: string | undefined;
}

export interface TableDefinition {
  readonly kind: 'STREAMING_TABLE' | 'MATERIALIZED_VIEW';
  /** Name as written; names are compared without regard to case. */
  readonly name: string;
  readonly location: SourceLocation;
  readonly columns: readonly DeclaredColumn[];
  readonly expectations: readonly Expectation[];
  readonly comment: string | undefined;
  readonly properties: Readonly<Record<string, string>>;
  readonly partitionedBy: readonly string[];
  /** Format of USING, in lower case; undefined for the default. */
  readonly format: string | undefined;
}

export interface ViewDefinition {
  readonly kind: 'TEMPORARY_VIEW';
  readonly name: string;
  readonly location: SourceLocation;
  readonly query: SourceSql;
}

/** Query whose rows are written to a table. */
export interface FlowDefinition {
  /** Name of its table, unless the flow has its own name. */
  readonly name: string;
  readonly target: string;
  readonly location: SourceLocation;
  /** True when columns are matched by name instead of by position. */
  readonly byName: boolean;
  readonly query: SourceSql;
}

export interface PipelineDefinition {
  readonly tables: readonly TableDefinition[];
  readonly views: readonly ViewDefinition[];
  readonly flows: readonly FlowDefinition[];
}

/** Returns the key of a dataset or flow: names are compared without regard to case. */
export function datasetKeyOf(name: string): string {
  return name.toLowerCase();
}
