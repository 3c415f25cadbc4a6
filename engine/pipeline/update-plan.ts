/** Plan of an update for its process. It is complete, so later changes do not affect an active update. */
import { Type, type Static } from 'typebox';
import { Check } from 'typebox/value';
import { Library, NewCluster } from '../job/cluster.ts';
import { tryParseJson } from '../read-file.ts';

const texts = Type.Array(Type.String());

export const UpdatePlan = Type.Object({
  updateId: Type.String(),
  pipelineId: Type.String(),
  pipelineName: Type.String(),
  /** Directory of the tables on this host, and its URI. */
  storage: Type.Object({ directory: Type.String(), uri: Type.String() }),
  /** Root directory of managed_fs on this host, which the update may read. */
  managedFs: Type.String(),
  /** Root directory of the object store; absent where the store is not a directory. */
  objstore: Type.Optional(Type.String()),
  catalog: Type.Optional(Type.String()),
  schema: Type.Optional(Type.String()),
  configuration: Type.Record(Type.String(), Type.String()),
  sources: Type.Array(Type.Object({ path: Type.String(), text: Type.String() })),
  request: Type.Object({
    fullRefresh: Type.Boolean(),
    fullRefreshSelection: texts,
    refreshSelection: texts,
    validateOnly: Type.Boolean(),
  }),
  /** Cluster of an update that Spark runs; absent when DuckDB runs it. */
  compute: Type.Optional(Type.Object({ cluster: NewCluster, libraries: Type.Array(Library) })),
  limits: Type.Object({ megabytes: Type.Integer(), threads: Type.Integer() }),
});

export type UpdatePlan = Static<typeof UpdatePlan>;

const PreparedUpdateSchema = Type.Union([UpdatePlan, Type.Object({ refused: Type.String() })]);

/** Plan of an update, or the reason why it was refused. */
export type PreparedUpdate = Static<typeof PreparedUpdateSchema>;

/** Files of an attempt: the plan of its update, and the failure. */
export const updateFileNames = { order: 'update.json', failure: 'failure.json' } as const;

/** Parses the content of the plan's file; undefined when it is invalid. */
export function parsePreparedUpdate(text: string): PreparedUpdate | undefined {
  const value = tryParseJson(text);
  return Check(PreparedUpdateSchema, value) ? value : undefined;
}
