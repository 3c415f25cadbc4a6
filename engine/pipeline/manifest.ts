/** Manifest of what a pipeline has published; each version of its storage has one. */
import { Type, type Static } from 'typebox';

const FlowProgress = Type.Object({
  /** Input files in the table: URI -> size and modification time when the file was read. */
  inputs: Type.Record(Type.String(), Type.String()),
  /** Streaming tables that the flow reads: number of their parts that are in the table. */
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
  /** Incremented by each full refresh; readers of its stream then start over. */
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
