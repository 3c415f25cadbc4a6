/** Masks of runs and clusters: the secrets in cluster variables that logs and output must not show. */
import type { Kysely } from 'kysely';
import { Check } from 'typebox/value';
import type { Cluster } from '../../../engine/cluster/cluster.ts';
import { stringMap } from '../../../engine/validation/scalars.ts';
import {
  clusterVariablesOf,
  existingClusterIdsOf,
  maskOfVariables,
  type Mask,
} from '../../../engine/run/masking.ts';
import type { JobSettings } from '../../../engine/job/settings.ts';
import type { Run } from '../../../engine/run/run.ts';
import { runOf } from './run-rows.ts';
import { allRuns } from './runs.ts';
import type { Database } from '../schema.ts';

const Variables = stringMap('Variables of a cluster.');

/**
 * Returns the mask of a run. The settings of all its rounds hold the run's own clusters; existing clusters are
 * looked up.
 */
export async function maskOfRun(
  db: Kysely<Database>,
  run: Pick<Run, 'runId' | 'settings' | 'repair'>,
): Promise<Mask> {
  const settings = [run.settings, ...(await listEarlierSettings(db, run))];
  const variables = settings.flatMap(clusterVariablesOf);
  const ids = [...new Set(settings.flatMap(existingClusterIdsOf))];
  if (ids.length === 0) return maskOfVariables(variables);
  const rows = await db.selectFrom('clusters').select('spec').where('cluster_id', 'in', ids).execute();
  return maskOfVariables([...variables, ...rows.flatMap(variablesOf)]);
}

/** Lists the settings that repairs replaced. Sends no query for a run without repairs. */
async function listEarlierSettings(
  db: Kysely<Database>,
  { runId, repair }: Pick<Run, 'runId' | 'repair'>,
): Promise<JobSettings[]> {
  if (repair === undefined) return [];
  const rows = await db
    .selectFrom('repairs')
    .select('earlier_settings')
    .where('run_id', '=', runId)
    .where('earlier_settings', 'is not', null)
    .execute();
  return rows.flatMap((row) => row.earlier_settings ?? []);
}

/** Returns the mask of an attempt's run, also of a deleted job; undefined when it was removed. */
export async function maskOfAttempt(db: Kysely<Database>, runId: number): Promise<Mask | undefined> {
  const run = await allRuns(db)
    .innerJoin('task_runs', 'task_runs.job_run_id', 'runs.run_id')
    .where('task_runs.run_id', '=', runId)
    .executeTakeFirst();
  return run && maskOfRun(db, runOf(run));
}

/** Returns the mask of a cluster's own output. */
export function maskOfCluster(cluster: Pick<Cluster, 'spec'>): Mask {
  return maskOfVariables(variablesOf(cluster));
}

function variablesOf({ spec }: Pick<Cluster, 'spec'>): Record<string, string>[] {
  const variables = spec['spark_env_vars'];
  return Check(Variables, variables) ? [variables] : [];
}
