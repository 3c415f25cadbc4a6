/** kill -9 of the process of an update, before each step and at random times: no lost or duplicate rows. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPipelineHarness, type PipelineHarness } from './pipeline-harness.ts';

const program = fileURLToPath(new URL('../../../../runners/pipeline/update-process.ts', import.meta.url));
const preload = new URL('./crash-at-step.ts', import.meta.url).href;

/** A streaming table that drops rows, one with two flows, and a materialized view. */
const sql = `
CREATE STREAMING TABLE raw (CONSTRAINT good EXPECT (id % 10 <> 9) ON VIOLATION DROP ROW)
  AS SELECT * FROM STREAM read_files('managed_fs:/in/*.csv', format => 'csv');
CREATE STREAMING TABLE copied;
CREATE FLOW plain AS INSERT INTO copied BY NAME SELECT id FROM STREAM raw;
CREATE FLOW shifted AS INSERT INTO copied BY NAME SELECT id + 1000000 AS id FROM STREAM raw;
CREATE MATERIALIZED VIEW total AS SELECT count(*) AS n, sum(id) AS ids FROM raw;`;

const pipelines: PipelineHarness[] = [];
beforeAll(async () => {
  for (let index = 0; index < 2; index += 1) pipelines.push(await createPipelineHarness());
});
afterAll(async () => {
  for (const pipeline of pipelines) await pipeline.remove();
});

/** Writes a file with ten rows, of which one is dropped. */
const putFile = (pipeline: PipelineHarness, file: number): Promise<void> =>
  pipeline.putFile(
    `in/${file}.csv`,
    `id\n${Array.from({ length: 10 }, (_, row) => file * 10 + row).join('\n')}\n`,
  );

/** Runs the process of an update. @param end step before which it is killed, or delay in ms */
async function updateIn(
  pipeline: PipelineHarness,
  end: { readonly step?: string; readonly after?: number },
): Promise<{ readonly signal: unknown; readonly steps: readonly string[] }> {
  const plan = pipeline.createUpdatePlan(sql);
  const attempt = join(pipeline.directory, 'runs', plan.updateId);
  await mkdir(attempt, { recursive: true });
  await writeFile(join(attempt, 'update.json'), JSON.stringify(plan));
  const child = spawn(process.execPath, ['--import', preload, program, join(attempt, 'update.json')], {
    env: { DIE_AT: end.step ?? '', DIE_IN: `${pipeline.storage}/` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (data: Buffer) => {
    stderr += data.toString();
  });
  const timer = end.after === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), end.after);
  const [, signal]: unknown[] = await once(child, 'close');
  clearTimeout(timer);
  return { signal, steps: JSON.parse(/steps (.*)/.exec(stderr)?.[1] ?? '[]') };
}

/**
 * Expects a complete version with each row once.
 * @param fileCount number of files that the version must contain; any number when absent
 */
async function expectConsistentVersion(pipeline: PipelineHarness, fileCount?: number): Promise<void> {
  const raw = (await pipeline.readRows('raw', 'SELECT id FROM t ORDER BY id')).map(({ id }) => Number(id));
  const copied = (await pipeline.readRows('copied', 'SELECT id FROM t ORDER BY id')).map(({ id }) =>
    Number(id),
  );
  const length = fileCount === undefined ? raw.length : fileCount * 9;
  expect(raw).toEqual(Array.from({ length: (length / 9) * 10 }, (_, id) => id).filter((id) => id % 10 !== 9));
  expect(copied).toEqual([...raw, ...raw.map((id) => id + 1_000_000)]);
  expect(await pipeline.readRows('total')).toEqual([
    { n: String(raw.length), ids: String(raw.reduce((sum, id) => sum + id, 0)) },
  ]);
}

const newestVersion = async (pipeline: PipelineHarness): Promise<number> =>
  Math.max(
    0,
    ...(await readdir(join(pipeline.storage, 'versions'))).filter((name) => /^\d+$/.test(name)).map(Number),
  );

test('an update that is killed before any step publishes all or nothing, and the next one completes it', async () => {
  const steps: string[] = [];
  await Promise.all(
    pipelines.map(async (pipeline) => {
      for (let file = 0; file < 2; file += 1) {
        await putFile(pipeline, file);
        await pipeline.runUpdate(sql);
      }
      await putFile(pipeline, 2);
      const listed = await updateIn(pipeline, {});
      await expectConsistentVersion(pipeline, 3);
      if (pipeline === pipelines[0]) steps.push(...listed.steps);
    }),
  );
  // Links of old parts differ only in their number. Steps that precede the publication are repeated after it
  // for the next version.
  const cases = steps.filter((step) => step.endsWith('(1)') || /^(symlink|rename|rm) .*\(2\)$/.test(step));
  const publishing = cases.findIndex((step) => step.startsWith('rename versions/.draft'));
  expect(publishing).toBeGreaterThan(10);
  expect(cases.slice(publishing + 1).map((step) => step.split(' ')[0])).toEqual(
    expect.arrayContaining(['symlink', 'rename', 'rm']),
  );
  await Promise.all(
    pipelines.map(async (pipeline, half) => {
      let file = 3;
      for (const [index, step] of cases.entries()) {
        if (index % 2 !== half) continue;
        await putFile(pipeline, file);
        file += 1;
        const before = await newestVersion(pipeline);
        expect((await updateIn(pipeline, { step })).signal, step).toBe('SIGKILL');
        expect(await newestVersion(pipeline), step).toBe(index > publishing ? before + 1 : before);
        await expectConsistentVersion(pipeline);
        await pipeline.runUpdate(sql);
        await expectConsistentVersion(pipeline, file);
      }
    }),
  );
}, 240_000);

test('an update that is killed at a random time loses and repeats no row', async () => {
  const pipeline = await createPipelineHarness();
  pipelines.push(pipeline);
  await putFile(pipeline, 0);
  await pipeline.runUpdate(sql);
  for (let round = 1; round <= 5; round += 1) {
    await putFile(pipeline, round);
    await updateIn(pipeline, { after: 150 + Math.random() * 400 });
    await expectConsistentVersion(pipeline);
  }
  await pipeline.runUpdate(sql);
  await expectConsistentVersion(pipeline, 6);
});
