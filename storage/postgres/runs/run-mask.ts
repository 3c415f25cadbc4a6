/** Masks of runs and clusters: the secrets in cluster variables that logs and output must not show. */
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

/** Returns the mask of a run. The settings hold the run's own clusters; existing clusters are looked up. */
export async function maskOfRun(db: Kysely<Database>, { settings }: Pick<Run, 'settings'>): Promise<Mask> {
  const ids = existingClusterIdsOf(settings);
  if (ids.length === 0) return maskOfSettings(settings);
  const rows = await db.selectFrom('clusters').select('spec').where('cluster_id', 'in', ids).execute();
  return maskOfSettings(settings, rows.flatMap(variablesOf));
}

/** Returns the mask of an attempt's run, also of a deleted job; undefined when it was removed. */
export async function maskOfAttempt(db: Kysely<Database>, runId: number): Promise<Mask | undefined> {
  const run = await db
    .selectFrom('task_runs')
    .innerJoin('runs', 'runs.run_id', 'task_runs.job_run_id')
    .select('runs.settings')
    .where('task_runs.run_id', '=', runId)
    .executeTakeFirst();
  return run && maskOfRun(db, run);
}

/** Returns the mask of a cluster's own output. */
export function maskOfCluster(cluster: Pick<Cluster, 'spec'>): Mask {
  return maskOfVariables(variablesOf(cluster));
}

function variablesOf({ spec }: Pick<Cluster, 'spec'>): Record<string, string>[] {
  const variables = spec['spark_env_vars'];
  return Check(Variables, variables) ? [variables] : [];
}
