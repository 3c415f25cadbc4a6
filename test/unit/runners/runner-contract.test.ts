/**
 * The runner contract, held against every kind that can be run: the built-in ones and the example plugins.
 * The facts are the same for each; a new kind needs a sample and nothing else.
 */
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../engine/limits.ts';
import type { TaskAssignment } from '../../../engine/run/assignment.ts';
import { noIsolation } from '../../../runners/process/isolation.ts';
import { loadPlugins } from '../../../runners/plugin/load-plugins.ts';
import { createTaskPool, type ClosableTaskPool } from '../../../runners/pool/task-pool.ts';
import { noChildRuns } from './test-context.ts';
import { createProcessTable } from '../../../runners/process/process-table.ts';
import { builtInRunners } from '../../../runners/kind-registry.ts';
import { checkPlugin } from '../../../runners/plugin/check-plugin.ts';
import { createPathResolver } from '../../../storage/files/path-resolver.ts';
import { createRoots, type Roots } from '../../../storage/files/roots.ts';
import { createTaskSamples, type TaskBehavior, type TaskSample } from './contract-samples.ts';

const examples = fileURLToPath(new URL('../../../examples/plugins', import.meta.url));
const environment = { PATH: process.env['PATH'] ?? '', HOME: '/' };
const root = await mkdtemp(join(tmpdir(), 'runyard-contract-'));
const markOf = (runId: number | string): string => join(root, 'managed_fs', `here-${runId}`);
const samples = await createTaskSamples((runId) => appendFileSync(markOf(runId), 'once\n'));
let roots: Roots;
let pool: ClosableTaskPool;
let last = 0;

beforeAll(async () => {
  roots = createRoots({ dataDirectory: root, allowedRoots: [] });
  await Promise.all(
    [roots.managedFs, roots.workspace].map(({ directory }) => mkdir(directory, { recursive: true })),
  );
  for (const [name, content] of samples.flatMap(({ files }) => Object.entries(files))) {
    await Promise.all(
      [roots.managedFs, roots.workspace].map(({ directory }) => writeFile(join(directory, name), content)),
    );
  }
  process.env['RUNYARD_TEST_SECRET'] = 'hush-hush';
  pool = createTaskPool({
    threads: 1,
    attemptsPerThread: 100,
    settings: {
      taskEnvironment: {
        ...environment,
        RUNYARD_MANAGED_FS: roots.managedFs.directory,
        RUNYARD_WORKSPACE: roots.workspace.directory,
      },
      stopGraceMs: 500,
      logBytesMax: 2 ** 20,
      limits: defaultLimits,
      isolation: noIsolation,
    },
    plugins: await loadPlugins(
      ['./http-request.mjs', './shell-script/plugin.mjs'].map((written) => ({
        specifier: written,
        baseDirectory: examples,
      })),
      environment,
    ),
    locate: createPathResolver(roots),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
});
afterAll(async () => {
  delete process.env['RUNYARD_TEST_SECRET'];
  await pool.close();
  await rm(root, { recursive: true, force: true });
});

async function attempt(
  { kind }: TaskSample,
  task: Readonly<Record<string, unknown>>,
): Promise<TaskAssignment> {
  const runId = (last += 1);
  const directory = join(roots.runs.directory, String(runId));
  await mkdir(directory, { recursive: true });
  return {
    jobId: 1,
    jobRunId: runId,
    runId,
    taskKey: 'main',
    attempt: 0,
    kind,
    task,
    parameters: {},
    taskValues: {},
    libraries: [],
    directory,
    cluster: undefined,
  };
}

const begin = async (sample: TaskSample, deed: TaskBehavior) => attempt(sample, sample.task?.(deed) ?? {});
const outputOf = async ({ directory }: TaskAssignment): Promise<unknown> =>
  JSON.parse(await readFile(join(directory, 'output.json'), 'utf8'));
const wasHere = ({ runId }: TaskAssignment): string =>
  existsSync(markOf(runId)) ? readFileSync(markOf(runId), 'utf8') : '';
const event = async (holds: () => boolean): Promise<void> => {
  while (!holds())
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
};

test('every built-in kind that has a runner has a sample', () => {
  // A pipeline is no single program: its own tests hold it against the contract.
  expect(samples.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(Object.keys(builtInRunners).filter((kind) => kind !== 'pipeline_task')),
  );
});

test.each(Object.entries(builtInRunners))(
  'the built-in runner of %s meets the plugin contract',
  (kind, runner) => {
    const description = { ...runner, schema: JSON.stringify(runner.schema), run: typeof runner.run };
    const refuse = (reason: string): never => expect.unreachable(reason);
    expect(checkPlugin(description, refuse)).toEqual({
      name: kind,
      needsCluster: runner.needsCluster,
      schema: JSON.parse(description.schema),
    });
  },
);

describe.each(samples.map((sample) => [sample.kind, sample] as const))('%s', (_kind, sample) => {
  test.skipIf(sample.task === undefined)(
    'asked for again, it comes to the same end and does its work once',
    async () => {
      const one = await begin(sample, 'well');
      // A process is attached to while it runs; what has none is asked for again when it is over.
      const together = sample.usesProcess
        ? await Promise.all([pool.run(one, noChildRuns).outcome, pool.run(one, noChildRuns).outcome])
        : [await pool.run(one, noChildRuns).outcome];
      expect([...together, await pool.run(one, noChildRuns).outcome]).toEqual(
        [...together, { kind: 'succeeded' }].map(() => ({ kind: 'succeeded' })),
      );
      expect(wasHere(one)).toBe('once\n');
    },
  );

  test.skipIf(sample.task === undefined)('its failure is a value, and its output says why', async () => {
    const one = await begin(sample, 'badly');
    expect(await pool.run(one, noChildRuns).outcome).toEqual({ kind: 'failed', message: expect.any(String) });
    expect(await outputOf(one)).toMatchObject({ error: expect.stringMatching(sample.failurePattern) });
  });

  test.skipIf(sample.task === undefined)(
    'stopped before it begins it never works, stopped at work it ends and leaves no process',
    async () => {
      const never = await begin(sample, 'well');
      const stopped = pool.run(never, noChildRuns);
      stopped.stop();
      const one = await begin(sample, 'wait');
      const working = pool.run(one, noChildRuns);
      await event(
        () =>
          wasHere(one) !== '' && (!sample.usesProcess || statSync(join(one.directory, 'stdout')).size > 0),
      );
      working.stop();
      expect(await Promise.all([stopped.outcome, working.outcome])).toEqual([
        { kind: 'stopped' },
        { kind: 'stopped' },
      ]);
      expect(wasHere(never)).toBe('');
      expect(await createProcessTable(roots.runs.directory).listAttempts()).not.toContain(one.runId);
    },
  );

  test.skipIf(sample.task === undefined || !sample.usesProcess)(
    'its process finds the environment of tasks, and nothing of the service',
    async () => {
      const one = await begin(sample, 'well');
      expect(await pool.run(one, noChildRuns).outcome).toEqual({ kind: 'succeeded' });
      const report = join(one.directory, 'notebook.json');
      const said =
        (await readFile(join(one.directory, 'stdout'), 'utf8')) +
        (existsSync(report)
          ? JSON.parse(await readFile(report, 'utf8'))
              .cells.flatMap((cell: { outputs: { data: string }[] }) => cell.outputs.map(({ data }) => data))
              .join('\n')
          : '');
      expect(said).toContain(`RUNYARD_RUN_ID=${one.runId}\n`);
      expect(said).toContain(`TMPDIR=${join(one.directory, 'tmp')}\n`);
      expect(said).not.toContain('hush-hush');
    },
  );

  test('whatever its field holds, it answers with an outcome', async () => {
    for (const task of sample.invalidBodies) {
      const outcome = await pool.run(await attempt(sample, task), noChildRuns).outcome;
      expect(outcome).toEqual({
        kind: expect.stringMatching(/^(failed|lost)$/),
        message: expect.any(String),
      });
    }
  });
});
