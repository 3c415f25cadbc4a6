/** Clusters of both compute providers, seen through the API: the same documents, events, states and outputs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { findTestSpark, sparkSettings, sparkTitle } from '../harness/spark.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

const spark = await findTestSpark();
const typed = { memory_mb: 4_096, num_cores: 1, category: 'Test', description: 'Test' };

describe.skipIf('missing' in spark)(sparkTitle('compute providers', spark), { timeout: 120_000 }, () => {
  let runyard: TestService;
  beforeAll(async () => {
    const settings = sparkSettings('none');
    const nodeTypes = {
      ...settings.clusters.nodeTypes,
      'with-spark': { ...typed, spark_master: 'local[1]' },
    };
    runyard = await startTestService({
      ...settings,
      clusters: {
        ...settings.clusters,
        nodeTypes: { ...nodeTypes, plain: typed },
        policies: { 'spark-policy': { spark_master: 'local[1]' } },
      },
    });
    await runyard.callOk('POST', '2.0/managed_fs/put', {
      path: '/where.py',
      contents: Buffer.from(
        'import os\nprint("SPARK_CONF_DIR" in os.environ, os.environ["DB_CLUSTER_ID"])',
      ).toString('base64'),
    });
  });
  afterAll(() => runyard?.stop());

  /** Runs the life of a cluster, and returns all that the API shows of it, without ids, names and times. */
  async function observe(spec: object): Promise<{ readonly seen: unknown; readonly printed: string }> {
    const { cluster_id } = await runyard.callOk('POST', '2.0/clusters/create', {
      cluster_name: 'observed',
      spark_version: '16.4.x-scala2.12',
      num_workers: 1,
      spark_conf: { 'spark.sql.shuffle.partitions': '1' },
      ...spec,
    });
    const { run_id } = await runyard.callOk('POST', '2.1/jobs/runs/submit', {
      existing_cluster_id: cluster_id,
      spark_python_task: { python_file: 'managed_fs:/where.py' },
    });
    const run = await runyard.waitForRunEnd(run_id);
    const running = await runyard.callOk('GET', '2.0/clusters/get', { cluster_id });
    const output = await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: run.tasks[0].run_id });
    await runyard.callOk('POST', '2.0/clusters/delete', { cluster_id });
    const ended = await runyard.callOk('GET', '2.0/clusters/get', { cluster_id });
    const { events } = await runyard.callOk('POST', '2.0/clusters/events', { cluster_id });
    const seen = {
      running: comparable(running),
      ended: comparable(ended),
      events: events.map(comparable),
      run: [run.state.result_state, run.tasks[0].cluster_instance.cluster_id === cluster_id],
    };
    return { seen, printed: output.logs.replace(cluster_id, '<id>') };
  }

  test('documents, events, states and runs look the same', async () => {
    const local = await observe({ node_type_id: 'plain' });
    const byNodeType = await observe({ node_type_id: 'with-spark' });
    const byPolicy = await observe({ node_type_id: 'plain', policy_id: 'spark-policy' });
    expect([local.printed, byNodeType.printed, byPolicy.printed]).toEqual([
      'False <id>\n',
      'True <id>\n',
      'True <id>\n',
    ]);
    expect(byNodeType.seen).toEqual(local.seen);
    expect(byPolicy.seen).toEqual(local.seen);
  });
});

/** Returns the fields of a document that do not differ between two clusters. */
function comparable(document: ResponseBody): object {
  const text = JSON.stringify(document, (key, value: unknown) =>
    /(?:^|_)(?:time|timestamp)$|^cluster_id$|node_type_id$|^policy_id$/.test(key) ? undefined : value,
  );
  return JSON.parse(text) as object;
}
