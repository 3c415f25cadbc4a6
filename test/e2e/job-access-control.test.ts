/** Job access control of the complete service, switched on by its setting. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiClient, type ApiClient } from '../harness/api-client.ts';
import { pipelinePath, putWorkspaceFile } from '../harness/pipelines.ts';
import { addUser } from '../harness/users.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

let runyard: TestService;
let owner: ApiClient;
let stranger: ApiClient;
beforeAll(async () => {
  runyard = await startTestService({ jobAccessControl: true });
  const { db } = runyard.database;
  owner = createApiClient(runyard.url, await addUser(db, 'owner'));
  stranger = createApiClient(runyard.url, await addUser(db, 'stranger'));
  await runyard.putFile('/ok.py', 'print("done")\n');
});
afterAll(() => runyard.stop());

test('a job runs for its owner and is visible to its owner and administrators only', async () => {
  const { job_id } = await owner.callOk('POST', '2.0/jobs/create', {
    name: 'mine',
    existing_cluster_id: 'c',
    spark_python_task: { python_file: 'managed_fs:/ok.py' },
  });
  const { run_id } = await owner.callOk('POST', '2.0/jobs/run-now', { job_id });
  const run = await owner.waitForRunEnd(run_id);
  expect(run).toMatchObject({
    state: { result_state: 'SUCCESS' },
    status: { termination_details: { code: 'SUCCESS' } },
  });
  expect(await stranger.call('POST', '2.0/jobs/run-now', { job_id })).toMatchObject({
    status: 403,
    body: { error_code: 'PERMISSION_DENIED' },
  });
  expect(await stranger.call('GET', '2.0/jobs/runs/get-output', { run_id })).toMatchObject({ status: 403 });
  expect(await stranger.callOk('GET', '2.1/jobs/list')).toEqual({ jobs: [], has_more: false });
  expect((await runyard.callOk('GET', '2.0/jobs/runs/get-output', { run_id })).logs).toBe('done\n');
});

test('a user without permission to cancel the run of a pipeline update cannot stop the update', async () => {
  await putWorkspaceFile(
    runyard,
    '/p/t.sql',
    'CREATE MATERIALIZED VIEW t AS SELECT count(*) AS n FROM range(100000000) a, range(100000000) b WHERE a.id % 7 = b.id % 11;',
  );
  await runyard.callOk('POST', '2.0/pipelines', {
    name: 'guarded',
    libraries: [{ glob: { include: '/p/t.sql' } }],
  });
  const { update_id: updateId } = await owner.callOk('POST', pipelinePath('guarded', '/updates'));
  const {
    update: { run_id: runId },
  } = await owner.callOk('GET', pipelinePath('guarded', `/updates/${updateId}`));
  expect(await stranger.call('POST', pipelinePath('guarded', '/stop'))).toMatchObject({
    status: 403,
    body: { error_code: 'PERMISSION_DENIED' },
  });
  await owner.callOk('POST', pipelinePath('guarded', '/stop'));
  expect((await owner.waitForRunEnd(runId)).state.result_state).toBe('CANCELED');
});
