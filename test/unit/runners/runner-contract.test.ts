/**
 * Runner contract, tested for every task kind: the built-in ones and the example plugins. A new kind needs
 * only a sample.
 */
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../engine/limits.ts';
import { noLibraries } from '../../../engine/cluster/libraries.ts';
import type { TaskAssignment, TaskCluster } from '../../../engine/run/assignment.ts';
import { noIsolation } from '../../../runners/process/isolation.ts';
import { loadPlugins } from '../../../runners/plugin/load-plugins.ts';
import { createTaskPool, type ClosableTaskPool } from '../../../runners/pool/task-pool.ts';
import { eventually } from '../../harness/eventually.ts';
import { noChildRuns } from './test-context.ts';
import { endForkServers, readCommandLine, waitForForkServers } from './fork-servers.ts';
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
let lastRunId = 0;

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
  await endForkServers(warmCluster.directory);
  await rm(root, { recursive: true, force: true });
});

/** Cluster on which Python programs and notebooks start warm. */
const warmCluster: TaskCluster = {
  clusterId: 'warm',
  directory: join(root, 'clusters', 'warm'),
  environment: {},
  libraries: noLibraries,
  runtime: 'warm',
};
const warmKinds = new Set(['spark_python_task', 'notebook_task']);

async function attempt(
  { kind }: TaskSample,
  task: Readonly<Record<string, unknown>>,
  cluster?: TaskCluster,
): Promise<TaskAssignment> {
  const runId = (lastRunId += 1);
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
    cluster,
  };
}

const outputOf = async ({ directory }: TaskAssignment): Promise<unknown> =>
  JSON.parse(await readFile(join(directory, 'output.json'), 'utf8'));
const readMark = ({ runId }: TaskAssignment): string =>
  existsSync(markOf(runId)) ? readFileSync(markOf(runId), 'utf8') : '';

test('every built-in kind that has a runner has a sample', () => {
  // Pipelines have tests of their own, because they are not a single program.
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

describe.each([
  ...samples.map((sample) => [sample.kind, sample, undefined] as const),
  ...samples
    .filter(({ kind }) => warmKinds.has(kind))
    .map((sample) => [`${sample.kind} on a warm cluster`, sample, warmCluster] as const),
])('%s', (_kind, sample, cluster) => {
  const begin = async (chosen: TaskSample, behavior: TaskBehavior) =>
    attempt(chosen, chosen.task?.(behavior) ?? {}, cluster);

  beforeAll(async () => {
    if (cluster === undefined) return;
    // The first task starts cold, and the fork server with it.
    expect(await pool.run(await begin(sample, 'well'), noChildRuns).outcome).toEqual({ kind: 'succeeded' });
    await waitForForkServers(cluster.directory);
  });
  test.runIf(cluster !== undefined)('the process is forked from the fork server', async () => {
    const one = await begin(sample, 'wait');
    const running = pool.run(one, noChildRuns);
    await eventually(() => readMark(one), { until: Boolean });
    expect(readCommandLine(one.directory)).toContain('fork_server.py');
    running.stop();
    expect(await running.outcome).toEqual({ kind: 'stopped' });
  });
  test.skipIf(sample.task === undefined)(
    'repeated runs of one attempt have the same outcome and do the work once',
    async () => {
      const one = await begin(sample, 'well');
      // Only processes support a second call while they run.
      const together = sample.usesProcess
        ? await Promise.all([pool.run(one, noChildRuns).outcome, pool.run(one, noChildRuns).outcome])
        : [await pool.run(one, noChildRuns).outcome];
      expect([...together, await pool.run(one, noChildRuns).outcome]).toEqual(
        [...together, { kind: 'succeeded' }].map(() => ({ kind: 'succeeded' })),
      );
      expect(readMark(one)).toBe('once\n');
    },
  );

  test.skipIf(sample.task === undefined)(
    'a failure is an outcome, with the reason in the output',
    async () => {
      const one = await begin(sample, 'badly');
      expect(await pool.run(one, noChildRuns).outcome).toMatchObject({
        kind: 'failed',
        message: expect.any(String),
      });
      expect(await outputOf(one)).toMatchObject({ error: expect.stringMatching(sample.failurePattern) });
    },
  );

  test.skipIf(sample.task === undefined)(
    'a stop prevents the start of an attempt, or ends it with its processes',
    async () => {
      const never = await begin(sample, 'well');
      const stopped = pool.run(never, noChildRuns);
      stopped.stop();
      const one = await begin(sample, 'wait');
      const working = pool.run(one, noChildRuns);
      await eventually(
        () =>
          readMark(one) !== '' && (!sample.usesProcess || statSync(join(one.directory, 'stdout')).size > 0),
        { until: Boolean },
      );
      working.stop();
      expect(await Promise.all([stopped.outcome, working.outcome])).toEqual([
        { kind: 'stopped' },
        { kind: 'stopped' },
      ]);
      expect(readMark(never)).toBe('');
      expect(await createProcessTable(roots.runs.directory).listAttempts()).not.toContain(one.runId);
    },
  );

  test.skipIf(sample.task === undefined || !sample.usesProcess)(
    'a process has the environment of tasks and no variable of the service',
    async () => {
      const one = await begin(sample, 'well');
      expect(await pool.run(one, noChildRuns).outcome).toEqual({ kind: 'succeeded' });
      const report = join(one.directory, 'notebook.json');
      const shown =
        (await readFile(join(one.directory, 'stdout'), 'utf8')) +
        (existsSync(report)
          ? JSON.parse(await readFile(report, 'utf8'))
              .cells.flatMap((cell: { outputs: { data: string }[] }) => cell.outputs.map(({ data }) => data))
              .join('\n')
          : '');
      expect(shown).toContain(`RUNYARD_RUN_ID=${one.runId}\n`);
      expect(shown).toContain(`TMPDIR=${join(one.directory, 'tmp')}\n`);
      expect(shown).not.toContain('hush-hush');
    },
  );

  test('an invalid task field leads to an outcome', async () => {
    for (const task of sample.invalidBodies) {
      const outcome = await pool.run(await attempt(sample, task, cluster), noChildRuns).outcome;
      expect(outcome).toEqual({
        kind: expect.stringMatching(/^(failed|lost)$/),
        message: expect.any(String),
      });
    }
  });
});
