/**
 * What the process of an update is told: all of it, so that whatever changes meanwhile changes nothing for
 * this update.
 */
import { Type, type Static } from 'typebox';
import { Check } from 'typebox/value';
import { tryParseJson } from '../read-file.ts';

const texts = Type.Array(Type.String());

export const UpdatePlan = Type.Object({
  updateId: Type.String(),
  pipelineId: Type.String(),
  pipelineName: Type.String(),
  /** Directory on this machine that tables are written in, and how it is called. */
  storage: Type.Object({ directory: Type.String(), uri: Type.String() }),
  /** Directories on this machine that may be read. */
  managedFs: Type.String(),
  /** Absent where the object store is no directory. */
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
  limits: Type.Object({ megabytes: Type.Integer(), threads: Type.Integer() }),
});

export type UpdatePlan = Static<typeof UpdatePlan>;

const PreparedUpdateSchema = Type.Union([UpdatePlan, Type.Object({ refused: Type.String() })]);

/** The order of an update, or why there is none. */
export type PreparedUpdate = Static<typeof PreparedUpdateSchema>;

/** Files of an attempt: what its update is to do, and why it failed. */
export const updateFileNames = { order: 'update.json', failure: 'failure.json' } as const;

/** Reads it from its file; undefined for anything else. */
export function parsePreparedUpdate(text: string): PreparedUpdate | undefined {
  const value = tryParseJson(text);
  return Check(PreparedUpdateSchema, value) ? value : undefined;
}
