/**
 * kill -9 of the engine during a pipeline update: the process continues, the attempt keeps its update, and
 * every row is stored once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { startEngineProcess } from '../harness/engine-process.ts';
import { pipelinePath, readPublishedTable, putWorkspaceFile } from '../harness/pipelines.ts';
import { eventually } from '../harness/eventually.ts';

const rounds = 4;
let dataDirectory: string;

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'runyard pipeline kill '));
  await chmod(dataDirectory, 0o711);
});
afterAll(() => rm(dataDirectory, { recursive: true, force: true }));

const sql = `
CREATE STREAMING TABLE t AS SELECT id FROM STREAM read_files('managed_fs:/in/*.csv', format => 'csv');
CREATE MATERIALIZED VIEW slow AS SELECT sum(hash(a.id + b.id) % 7) AS n FROM range(3000) a, range(3000) b;
CREATE MATERIALIZED VIEW total AS SELECT count(*) AS n, count(DISTINCT id) AS ids FROM t;`;

test('spec 2.7: kill -9 of the engine interrupts no update, and each attempt has one update', async () => {
  let engine = await startEngineProcess(dataDirectory);
  try {
    await putWorkspaceFile(engine, '/p/tables.sql', sql);
    await putWorkspaceFile(
      engine,
      '/p/spark-pipeline.yml',
      'name: p\nlibraries:\n  - glob:\n      include: tables.sql\n',
    );
    const { job_id: jobId } = await engine.callOk('POST', '2.1/jobs/create', {
      name: 'p',
      tasks: [{ task_key: 'p', pipeline_task: { pipeline_id: '/p' } }],
    });
    const runs: ResponseBody[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await engine.putFile(`/in/${round}.csv`, `id\n${round * 2}\n${round * 2 + 1}\n`);
      const { run_id: runId } = await engine.callOk('POST', '2.1/jobs/run-now', { job_id: jobId });
      const {
        tasks: [task],
      } = await engine.callOk('GET', '2.1/jobs/runs/get', { run_id: runId });
      const pid = join(dataDirectory, 'runs', String(task.run_id), 'pid');
      // The first kill follows the request at once; the others hit any moment of the process.
      if (round > 0) {
        await eventually(() => existsSync(pid), { until: Boolean });
        await sleep(Math.random() * 600);
      }
      await engine.kill();
      const claim = existsSync(pid) ? readFileSync(pid, 'utf8') : undefined;
      engine = await startEngineProcess(dataDirectory);
      const run = await engine.waitForRunEnd(runId);
      expect(run.state).toMatchObject({ life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' });
      expect(run.tasks.map((each: ResponseBody) => each.attempt_number)).toEqual([0]);
      if (claim !== undefined) expect(readFileSync(pid, 'utf8')).toBe(claim);
      const count = String((round + 1) * 2);
      expect(await readPublishedTable(dataDirectory, 'pipelines/p', 'total')).toEqual([
        { n: count, ids: count },
      ]);
      runs.unshift(run);
    }
    const { updates } = await engine.callOk('GET', pipelinePath('p', '/updates'));
    expect(updates.map((update: ResponseBody) => [update.run_id, update.task_run_id, update.state])).toEqual(
      runs.map((run) => [run.run_id, run.tasks[0].run_id, 'COMPLETED']),
    );
  } finally {
    await engine.terminate();
  }
}, 240_000);
