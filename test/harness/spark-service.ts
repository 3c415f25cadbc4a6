/** A service whose clusters compute on Spark on this machine, with one all-purpose cluster, for tests. */
import type { ResponseBody } from './api-client.ts';
import { createSparkJobs, endlessProgram, rainFile, sumProgram, type SparkJobs } from './spark-jobs.ts';
import { sparkSettings } from './spark.ts';
import { startTestService, type TestService } from './test-service.ts';

export interface SparkService {
  readonly runyard: TestService;
  readonly jobs: SparkJobs;
  readonly cluster_id: string;
}

/** Starts the service with two cores for Spark, and puts the files of the jobs into managed_fs. */
export async function startSparkService(): Promise<SparkService> {
  const runyard = await startTestService(sparkSettings('local[2]'));
  const jobs = createSparkJobs(runyard);
  const created: ResponseBody = await runyard.callOk('POST', '2.0/clusters/create', {
    cluster_name: 'shared',
    spark_version: '16.4.x-scala2.12',
    node_type_id: 'unknown',
    num_workers: 0,
    spark_conf: { 'spark.test.mark': 'from spark_conf' },
    cluster_log_conf: { managed_fs: { destination: 'managed_fs:/logs' } },
  });
  await jobs.put('/rain.csv', rainFile);
  await jobs.put('/sum.py', sumProgram);
  await jobs.put('/endless.py', endlessProgram);
  return { runyard, jobs, cluster_id: created.cluster_id };
}
