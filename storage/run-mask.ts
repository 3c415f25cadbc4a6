/** What is not to be shown of a run: the secrets in the variables of its clusters. */
import type { Kysely } from 'kysely';
import { Check } from 'typebox/value';
import { textMap } from '../engine/job/scalars.ts';
import { existingClusters, maskOf, type Mask } from '../engine/run/masking.ts';
import type { Run } from '../engine/run/run.ts';
import type { Database } from './schema.ts';

const Variables = textMap('Variables of a cluster.');

/** Clusters that the run made stand in its settings; one that was lent to it, or is there for everybody, is looked up. */
export async function maskOfRun(db: Kysely<Database>, { settings }: Run): Promise<Mask> {
  const ids = existingClusters(settings);
  if (ids.length === 0) return maskOf(settings);
  const rows = await db.selectFrom('clusters').select('spec').where('cluster_id', 'in', ids).execute();
  return maskOf(settings, rows.map(({ spec }) => spec['spark_env_vars']).filter((variables) => Check(Variables, variables)));
}
