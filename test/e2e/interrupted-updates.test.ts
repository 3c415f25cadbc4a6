/** Updates of pipelines that are stopped, killed, or refused, through HTTP. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import {
  waitForUpdateEnd,
  pipelinePath,
  readPublishedTable,
  putWorkspaceFile,
  runPipelineUpdate,
  waitForUpdate,
} from '../harness/pipelines.ts';
import { registerService, runyard, endless, create, eventsOf } from './pipelines-harness.ts';

registerService();

describe('updates that end early', () => {
  test('concurrent requests start one update of a pipeline; a stopped update publishes nothing', async () => {
    const id = await create('slow', endless);
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => runyard.call('POST', pipelinePath(id, '/updates'))),
    );
    expect(answers.map(({ status: code }) => code).toSorted()).toEqual([200, 409, 409, 409]);
    const updateId = String(answers.find(({ status: code }) => code === 200)?.body['update_id']);
    await waitForUpdate(runyard, id, updateId, ({ state }) => state === 'RUNNING');
    expect(await runyard.callOk('GET', pipelinePath(id))).toMatchObject({ state: 'RUNNING' });
    const { status, body } = await runyard.call('POST', pipelinePath(id, '/updates'));
    expect([status, body.error_code]).toEqual([409, 'ALREADY_EXISTS']);
    const { run_id: runId } = await runyard.callOk('POST', '2.1/jobs/runs/submit', {
      tasks: [{ task_key: 'p', pipeline_task: { pipeline_id: id } }],
    });
    expect((await runyard.waitForRunEnd(runId)).tasks[0].state.state_message).toMatch(
      new RegExp(
        `^Pipeline slow has the active update ${updateId} \\(run \\d+\\); one update of a pipeline runs at a time\\. `,
      ),
    );
    expect(await runPipelineUpdate(runyard, id, { validate_only: true })).toMatchObject({
      state: 'COMPLETED',
      message: '',
    });
    expect(await runyard.call('DELETE', pipelinePath(id))).toMatchObject({
      status: 400,
      body: { error_code: 'INVALID_STATE' },
    });
    await runyard.callOk('POST', pipelinePath(id, '/stop'));
    expect((await waitForUpdateEnd(runyard, id, updateId)).state).toBe('CANCELED');
    expect((await eventsOf(id, `update_id = '${updateId}'`))[0]).toMatchObject({
      event_type: 'update_progress',
      details: { update_progress: { state: 'CANCELED' } },
    });
    expect(await readdir(join(runyard.dataDirectory, 'managed_fs/pipelines/slow'))).not.toContain('current');
    await runyard.callOk('POST', pipelinePath(id, '/stop'));
    await runyard.callOk('DELETE', pipelinePath(id));
  });

  test('a killed update process fails its update and changes no table', async () => {
    await runyard.putFile('/in/killed.csv', 'id\n1\n');
    const table =
      "CREATE STREAMING TABLE t AS SELECT * FROM STREAM read_files('managed_fs:/in/killed*.csv');";
    const id = await create('killed', table);
    expect((await runPipelineUpdate(runyard, id)).state).toBe('COMPLETED');
    await runyard.putFile('/in/killed-2.csv', 'id\n2\n');
    await putWorkspaceFile(runyard, '/team/killed/tables.sql', `${table}\n${endless}`);
    const { update_id: updateId } = await runyard.callOk('POST', pipelinePath(id, '/updates'));
    const events = await eventually(() => eventsOf(id, `update_id = '${updateId}'`), {
      until: (all) =>
        all.some(({ message, level }) => message === 'Flow heavy is running.' || level !== 'INFO'),
    });
    expect(events.filter(({ level }) => level !== 'INFO')).toEqual([]);
    const { run_id: runId } = (await runyard.callOk('GET', pipelinePath(id, `/updates/${updateId}`))).update;
    const [supervisor = ''] = (
      await readFile(join(runyard.dataDirectory, 'runs', String(runId), 'pid'), 'utf8')
    ).split(' ');
    const [child = ''] = (await readFile(`/proc/${supervisor}/task/${supervisor}/children`, 'utf8'))
      .trim()
      .split(' ');
    process.kill(Number(child), 'SIGKILL');
    expect(await waitForUpdateEnd(runyard, id, updateId)).toMatchObject({
      state: 'FAILED',
      message: expect.stringContaining(
        'The process of the update ended with exit code 137 (killed by signal 9, SIGKILL). Nothing was published',
      ),
    });
    expect(await readPublishedTable(runyard.dataDirectory, 'pipelines/killed', 't')).toEqual([{ id: '1' }]);
    await putWorkspaceFile(runyard, '/team/killed/tables.sql', table);
    expect((await runPipelineUpdate(runyard, id)).state).toBe('COMPLETED');
    expect(await readPublishedTable(runyard.dataDirectory, 'pipelines/killed', 't')).toEqual([
      { id: '1' },
      { id: '2' },
    ]);
  });
});
