/** Programs of Spark itself, unchanged, as Python, JAR and submit tasks: those of the PySpark package. */
import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultPySpark } from '../../engine/cluster/compute.ts';
import { eventually } from '../harness/eventually.ts';
import { createSparkJobs, type SparkJobs } from '../harness/spark-jobs.ts';
import { findTestSpark, sparkSettings, sparkTitle } from '../harness/spark.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

const spark = await findTestSpark();
const within = { within: 240_000 };

describe.skipIf('missing' in spark)(sparkTitle('examples of Spark', spark), { timeout: 400_000 }, () => {
  let runyard: TestService;
  let jobs: SparkJobs;
  let files: string;
  beforeAll(async () => {
    if ('missing' in spark) return;
    runyard = await startTestService(sparkSettings('local[2]'));
    jobs = createSparkJobs(runyard);
    files = join(runyard.dataDirectory, 'managed_fs');
    await mkdir(join(files, 'stream'), { recursive: true });
    const python = join(spark.home, 'examples/src/main/python');
    for (const [from, to] of [
      [join(python, 'wordcount.py'), 'wordcount.py'],
      [join(python, 'ml/pipeline_example.py'), 'ml.py'],
      [join(python, 'streaming/hdfs_wordcount.py'), 'stream.py'],
      [join(python, 'pagerank.py'), 'pagerank.py'],
      [join(spark.home, 'data/graphx/followers.txt'), 'followers.txt'],
      [join(spark.home, 'jars', `spark-mllib_2.13-${defaultPySpark}.jar`), 'mllib.jar'],
    ] as const)
      await copyFile(from, join(files, to));
    await writeFile(join(files, 'words.txt'), 'a b a\n');
  });
  afterAll(() => runyard?.stop());

  const cluster = {
    new_cluster: { spark_version: '17.3.x-scala2.13', node_type_id: 'tiny', num_workers: 1 },
  };
  const succeeds = async (run: number, logs: string | RegExp): Promise<void> => {
    const { result, output } = await jobs.end(run);
    expect([result, output.error, output.logs]).toEqual(['SUCCESS', undefined, expect.stringMatching(logs)]);
  };

  test('word count and a machine learning pipeline run as Python tasks', async () => {
    const python = (file: string, ...parameters: string[]): Promise<number> =>
      jobs.submit({ ...cluster, spark_python_task: { python_file: `managed_fs:/${file}`, parameters } });
    const runs = [await python('wordcount.py', join(files, 'words.txt')), await python('ml.py')] as const;
    await succeeds(runs[0], /a: 2\nb: 1\n/);
    await succeeds(runs[1], /\(6, spark hadoop spark\) --> prob=\[.*\], prediction=1\.0/);
  });

  test('page rank runs as a submit task, and a generator of MLlib as a JAR task', async () => {
    const followers = join(files, 'followers.txt');
    const runs = [
      await jobs.submit({
        ...cluster,
        spark_submit_task: { parameters: ['managed_fs:/pagerank.py', followers, '2'] },
      }),
      await jobs.submit({
        ...cluster,
        libraries: [{ jar: 'managed_fs:/mllib.jar' }],
        spark_jar_task: {
          main_class_name: 'org.apache.spark.mllib.util.KMeansDataGenerator',
          parameters: ['local[1]', join(files, 'points'), '10', '2', '3', '1.0', '1'],
        },
      }),
    ] as const;
    await succeeds(runs[0], /has rank: \d\.\d+/);
    expect((await jobs.end(runs[1])).result).toBe('SUCCESS');
    const points = await readFile(join(files, 'points', 'part-00000'), 'utf8');
    expect(points.trimEnd().split('\n')).toHaveLength(10);
  });

  test('the streaming file source counts the words of a new file until its task is cancelled', async () => {
    const run = await jobs.submit({
      ...cluster,
      spark_python_task: { python_file: 'managed_fs:/stream.py', parameters: [join(files, 'stream')] },
    });
    const [{ run_id: taskRun }] = (await runyard.callOk('GET', '2.1/jobs/runs/get', { run_id: run })).tasks;
    const logs = async (): Promise<string> =>
      (await runyard.callOk('GET', '2.1/jobs/runs/logs', { run_id: taskRun, stream: 'stdout', offset: 0 }))
        .content;
    await eventually(logs, { ...within, until: (text) => text.includes('Time: ') });
    await writeFile(join(files, 'later.txt'), 'late later late\n');
    await rename(join(files, 'later.txt'), join(files, 'stream', 'later.txt'));
    await eventually(logs, { ...within, until: (text) => text.includes("('late', 2)") });
    await runyard.callOk('POST', '2.1/jobs/runs/cancel', { run_id: run });
    expect((await jobs.end(run)).result).toBe('CANCELED');
  });
});
