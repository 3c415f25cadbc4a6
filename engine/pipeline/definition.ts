/** What the files of a pipeline define: tables, views, and the flows that fill the tables. */
import type { SourceLocation } from './source-location.ts';

/** What is done with a row that does not meet an expectation; `WARN` keeps it and counts it. */
export type ViolationAction = 'WARN' | 'DROP ROW' | 'FAIL UPDATE';

export interface Expectation {
  readonly name: string;
  /** A condition as SQL. */
  readonly condition: SourceSql;
  readonly onViolation: ViolationAction;
}

/** SQL text of a file. */
export interface SourceSql {
  readonly text: string;
  readonly location: SourceLocation;
}

/** A declared column. */
export interface DeclaredColumn {
  readonly name: string;
  readonly type: string | undefined;
  readonly comment: string | undefined;
}

export interface TableDefinition {
  readonly kind: 'STREAMING_TABLE' | 'MATERIALIZED_VIEW';
  /** As it is written; names are compared without regard to case. */
  readonly name: string;
  readonly location: SourceLocation;
  readonly columns: readonly DeclaredColumn[];
  readonly expectations: readonly Expectation[];
  readonly comment: string | undefined;
  readonly properties: Readonly<Record<string, string>>;
  readonly partitionedBy: readonly string[];
}

export interface ViewDefinition {
  readonly kind: 'TEMPORARY_VIEW';
  readonly name: string;
  readonly location: SourceLocation;
  readonly query: SourceSql;
}

/** A query whose rows go into a table. */
export interface FlowDefinition {
  /** That of its table, unless it has been given one. */
  readonly name: string;
  readonly target: string;
  readonly location: SourceLocation;
  /** Whether columns find their place by their names, instead of by their order. */
  readonly byName: boolean;
  readonly query: SourceSql;
}

export interface PipelineDefinition {
  readonly tables: readonly TableDefinition[];
  readonly views: readonly ViewDefinition[];
  readonly flows: readonly FlowDefinition[];
}

/** Under which a dataset or flow is known: names are compared without regard to case. */
export function datasetKeyOf(name: string): string {
  return name.toLowerCase();
}
