/** Kysely types of the tables of pipelines. */
import type { ColumnType, Generated } from 'kysely';
import type { PipelineDocument } from '../../../engine/pipeline/pipeline-document.ts';
import type { UpdateRequest } from '../../../engine/pipeline/select-tables.ts';
import type { UpdateCause } from '../../../engine/ports/pipelines.ts';
import type { JsonColumn } from '../json-column.ts';

export interface PipelineTable {
  pipeline_id: string;
  /** Rises with every row; the order of creation. */
  number: Generated<number>;
  name: string;
  creator: string;
  created_time: number;
  modified_time: number;
  document: ColumnType<PipelineDocument | null, string | null, string>;
  spec_path: string | null;
}

export interface PipelineUpdateTable {
  update_id: string;
  /** Rises with every row; the order of creation. */
  number: Generated<number>;
  pipeline_id: string;
  /** The task run that performs the update. */
  run_id: number;
  cause: UpdateCause;
  request: JsonColumn<UpdateRequest>;
  /** Set when the update starts. */
  storage: string | null;
  created_time: number;
}

export interface PipelineTables {
  pipelines: PipelineTable;
  pipeline_updates: PipelineUpdateTable;
}
