/**
 * What a pipeline has published: every version of its storage has one manifest, which says all there is in
 * it.
 */
import { Type, type Static } from 'typebox';

const FlowProgress = Type.Object({
  /** Input files that are in the table, by their URI, with size and time of change as they were read. */
  inputs: Type.Record(Type.String(), Type.String()),
  /** Streaming tables that it reads: how many of their parts are in the table. */
  tables: Type.Record(Type.String(), Type.Object({ generation: Type.Integer(), parts: Type.Integer() })),
});

const PublishedDataset = Type.Object({
  name: Type.String(),
  kind: Type.Enum(['STREAMING_TABLE', 'MATERIALIZED_VIEW']),
  comment: Type.Optional(Type.String()),
  properties: Type.Record(Type.String(), Type.String()),
  partitioned_by: Type.Array(Type.String()),
  columns: Type.Array(
    Type.Object({ name: Type.String(), type: Type.String(), comment: Type.Optional(Type.String()) }),
  ),
  /** Raised by each full refresh: what streams it begins anew, too. */
  generation: Type.Integer(),
  /** Parquet files in the directory of the dataset, oldest first. */
  parts: Type.Array(Type.Object({ file: Type.String(), rows: Type.Integer() })),
  flows: Type.Record(Type.String(), FlowProgress),
});

/** `manifest.json` of a version. Datasets and flows are named by their keys. */
export const Manifest = Type.Object({
  format: Type.Literal(1),
  version: Type.Integer(),
  pipeline_id: Type.String(),
  update_id: Type.String(),
  /** Epoch ms. */
  time: Type.Integer(),
  datasets: Type.Record(Type.String(), PublishedDataset),
});

export type FlowProgress = Static<typeof FlowProgress>;
export type PublishedDataset = Static<typeof PublishedDataset>;
export type Manifest = Static<typeof Manifest>;
export type PublishedColumn = PublishedDataset['columns'][number];
