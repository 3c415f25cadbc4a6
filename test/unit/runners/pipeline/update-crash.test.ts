/**
 * kill -9 of the process of an update, before each of its steps and at random moments: no row is lost and
 * none doubled.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPipelineHarness, type PipelineHarness } from './pipeline-harness.ts';

const program = fileURLToPath(new URL('../../../../runners/pipeline/update-process.ts', import.meta.url));
const preload = new URL('./crash-at-step.ts', import.meta.url).href;

/**
 * Two streaming tables, one of them with two flows and an expectation that drops, and a view of all that
 * there is.
 */
const sql = `
CREATE STREAMING TABLE raw (CONSTRAINT good EXPECT (id % 10 <> 9) ON VIOLATION DROP ROW) AS SELECT * FROM STREAM read_files('managed_fs:/in/*.csv', format => 'csv');
CREATE STREAMING TABLE copied;
CREATE FLOW plain AS INSERT INTO copied BY NAME SELECT id FROM STREAM raw;
CREATE FLOW shifted AS INSERT INTO copied BY NAME SELECT id + 1000000 AS id FROM STREAM raw;
CREATE MATERIALIZED VIEW total AS SELECT count(*) AS n, sum(id) AS ids FROM raw;`;

const worlds: PipelineHarness[] = [];
beforeAll(async () => {
  for (let index = 0; index < 2; index += 1) worlds.push(await createPipelineHarness());
});
afterAll(async () => {
  for (const world of worlds) await world.remove();
});

/** Ten rows, of which one is dropped. */
const put = (world: PipelineHarness, file: number): Promise<void> =>
  world.putFile(
    `in/${file}.csv`,
    `id\n${Array.from({ length: 10 }, (_, row) => file * 10 + row).join('\n')}\n`,
  );

/** Runs the process of an update. @param end before which step it is killed, or after how many ms */
async function updateIn(
  world: PipelineHarness,
  end: { readonly step?: string; readonly after?: number },
): Promise<{ readonly signal: unknown; readonly steps: readonly string[] }> {
  const order = world.createUpdateOrder(sql);
  const attempt = join(world.directory, 'runs', order.updateId);
  await mkdir(attempt, { recursive: true });
  await writeFile(join(attempt, 'update.json'), JSON.stringify(order));
  const child = spawn(process.execPath, ['--import', preload, program, join(attempt, 'update.json')], {
    env: { DIE_AT: end.step ?? '', DIE_IN: `${world.storage}/` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (data: Buffer) => {
    said += data.toString();
  });
  const timer = end.after === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), end.after);
  const [, signal]: unknown[] = await once(child, 'close');
  clearTimeout(timer);
  return { signal, steps: JSON.parse(/steps (.*)/.exec(said)?.[1] ?? '[]') };
}

/**
 * What readers see is one version, and that holds files exactly once, in their order; all of `whole` files
 * when it is given.
 */
async function check(world: PipelineHarness, whole?: number): Promise<void> {
  const raw = (await world.readRows('raw', 'SELECT id FROM t ORDER BY id')).map(({ id }) => Number(id));
  const copied = (await world.readRows('copied', 'SELECT id FROM t ORDER BY id')).map(({ id }) => Number(id));
  const length = whole === undefined ? raw.length : whole * 9;
  expect(raw).toEqual(Array.from({ length: (length / 9) * 10 }, (_, id) => id).filter((id) => id % 10 !== 9));
  expect(copied).toEqual([...raw, ...raw.map((id) => id + 1_000_000)]);
  expect(await world.readRows('total')).toEqual([
    { n: String(raw.length), ids: String(raw.reduce((sum, id) => sum + id, 0)) },
  ]);
}

const newest = async (world: PipelineHarness): Promise<number> =>
  Math.max(
    0,
    ...(await readdir(join(world.storage, 'versions'))).filter((name) => /^\d+$/.test(name)).map(Number),
  );

test('killed before each step of its writing and publishing, an update has happened wholly or not at all, and the next one completes it', async () => {
  const steps: string[] = [];
  await Promise.all(
    worlds.map(async (world) => {
      for (let file = 0; file < 2; file += 1) {
        await put(world, file);
        await world.runUpdate(sql);
      }
      await put(world, 2);
      const listed = await updateIn(world, {});
      await check(world, 3);
      if (world === worlds[0]) steps.push(...listed.steps);
    }),
  );
  // Links of old parts differ by nothing but their number; what is done once before publishing is done again
  // behind it.
  const cases = steps.filter((step) => step.endsWith('(1)') || /^(symlink|rename|rm) .*\(2\)$/.test(step));
  const publishing = cases.findIndex((step) => step.startsWith('rename versions/.draft'));
  expect(publishing).toBeGreaterThan(10);
  expect(cases.slice(publishing + 1).map((step) => step.split(' ')[0])).toEqual(
    expect.arrayContaining(['symlink', 'rename', 'rm']),
  );
  await Promise.all(
    worlds.map(async (world, half) => {
      let file = 3;
      for (const [index, step] of cases.entries()) {
        if (index % 2 !== half) continue;
        await put(world, file);
        file += 1;
        const before = await newest(world);
        expect((await updateIn(world, { step })).signal, step).toBe('SIGKILL');
        expect(await newest(world), step).toBe(index > publishing ? before + 1 : before);
        await check(world);
        await world.runUpdate(sql);
        await check(world, file);
      }
    }),
  );
}, 240_000);

test('killed at random moments, the same', async () => {
  const world = await createPipelineHarness();
  worlds.push(world);
  await put(world, 0);
  await world.runUpdate(sql);
  for (let round = 1; round <= 5; round += 1) {
    await put(world, round);
    await updateIn(world, { after: 150 + Math.random() * 400 });
    await check(world);
  }
  await world.runUpdate(sql);
  await check(world, 6);
});
