/** What is not to be shown of a run or a cluster: the secrets in the variables of clusters. */
import type { Kysely } from 'kysely';
import { Check } from 'typebox/value';
import type { Cluster } from '../../../engine/cluster/cluster.ts';
import { stringMap } from '../../../engine/validation/scalars.ts';
import {
  existingClusterIdsOf,
  maskOfSettings,
  maskOfVariables,
  type Mask,
} from '../../../engine/run/masking.ts';
import type { Run } from '../../../engine/run/run.ts';
import type { Database } from '../schema.ts';

const Variables = stringMap('Variables of a cluster.');

/**
 * Clusters that the run made stand in its settings; one that was lent to it, or is there for everybody, is
 * looked up.
 */
export async function maskOfRun(db: Kysely<Database>, { settings }: Pick<Run, 'settings'>): Promise<Mask> {
  const ids = existingClusterIdsOf(settings);
  if (ids.length === 0) return maskOfSettings(settings);
  const rows = await db.selectFrom('clusters').select('spec').where('cluster_id', 'in', ids).execute();
  return maskOfSettings(settings, rows.flatMap(variablesOf));
}

/** The mask of the run of an attempt, also of one whose job is deleted; undefined when it is gone. */
export async function maskOfAttempt(db: Kysely<Database>, runId: number): Promise<Mask | undefined> {
  const run = await db
    .selectFrom('task_runs')
    .innerJoin('runs', 'runs.run_id', 'task_runs.job_run_id')
    .select('runs.settings')
    .where('task_runs.run_id', '=', runId)
    .executeTakeFirst();
  return run && maskOfRun(db, run);
}

/** The mask of what a cluster itself says. */
export function maskOfCluster(cluster: Pick<Cluster, 'spec'>): Mask {
  return maskOfVariables(variablesOf(cluster));
}

function variablesOf({ spec }: Pick<Cluster, 'spec'>): Record<string, string>[] {
  const variables = spec['spark_env_vars'];
  return Check(Variables, variables) ? [variables] : [];
}
