/** Installation of cluster libraries by several tasks and engines, with a scripted installer. */
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { libraryKey } from '../../../../engine/cluster/libraries.ts';
import { createLibraryManager } from '../../../../engine/coordinator/library-manager.ts';
import type { Library } from '../../../../engine/job/cluster.ts';
import type {
  EnsureInstalledRequest,
  EnsureInstalledResult,
  InstallRequest,
  LibraryManager,
  LibraryInstaller,
  LibraryStore,
} from '../../../../engine/ports/libraries.ts';
import { systemClock as clock } from '../../../../engine/clock.ts';
import { createLibraryReader, createLibraryStore } from '../../../../storage/postgres/libraries/libraries.ts';
import { createTestDatabase, type TestDatabase } from '../../../harness/test-database.ts';

let database: TestDatabase;
let store: LibraryStore;
let clusters = 0;
let clusterId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  store = createLibraryStore(database.db, clock, pino({ level: 'silent' }));
});
afterAll(() => database.drop());
beforeEach(async () => {
  clusterId = `c${(clusters += 1)}`;
  await database.db
    .insertInto('clusters')
    .values({
      cluster_id: clusterId,
      kind: 'ALL_PURPOSE',
      state: 'RUNNING',
      job_run_id: null,
      cluster_key: null,
      spec: '{}',
      spark_context_id: '1',
      created_time: 1,
      started_time: 1,
      terminated_time: null,
      termination_reason: null,
    })
    .execute();
});

const lib = (name: string): Library => ({ pypi: { package: name } });
const namesOf = (libraries: readonly Library[]): string =>
  libraries.map(({ pypi }) => pypi?.package).join(' ');

interface InstallerScript {
  readonly installed: string[];
  /** Decides the end of an installation; undefined installs every library. */
  answer:
    | ((
        order: InstallRequest,
        signal: AbortSignal,
      ) => Promise<Awaited<ReturnType<LibraryInstaller['install']>> | undefined>)
    | undefined;
  cached: boolean;
}

function createScriptedManager(): { script: InstallerScript; libraryManager: LibraryManager } {
  const script: InstallerScript = { installed: [], answer: undefined, cached: true };
  const installer: LibraryInstaller = {
    async install(order, signal) {
      await order.onProgress(order.wanted, 'INSTALLING');
      script.installed.push(namesOf(order.wanted));
      const answer = await script.answer?.(order, signal);
      if (answer !== undefined) return answer;
      const installed = [
        ...order.current.installed,
        ...order.wanted.map((library) => ({ library, files: [] })),
      ];
      return {
        kind: 'installed',
        environment: {
          installed,
          paths: {
            classPath: [],
            pythonPath: [`/env/${namesOf(installed.map(({ library }) => library))}`],
            binPath: [],
          },
        },
      };
    },
    stopInstallers: async () => undefined,
    touchCached: async () => script.cached,
  };
  return { script, libraryManager: createLibraryManager({ store, installer, clock }) };
}

const ensureInstalled = (
  libraryManager: LibraryManager,
  wanted: readonly Library[],
  changes: Partial<EnsureInstalledRequest> = {},
): Promise<EnsureInstalledResult> =>
  libraryManager.ensureInstalled({
    cluster: { clusterId, sparkContextId: '1' },
    environment: {},
    wanted,
    directory: async () => '/runs/1',
    signal: new AbortController().signal,
    ...changes,
  });
const ready = (names: string) => ({
  kind: 'ready',
  paths: { classPath: [], pythonPath: [`/env/${names}`], binPath: [] },
});
const listStates = async (): Promise<string[]> =>
  ((await createLibraryReader(database.db).findStates(clusterId)) ?? []).map(
    ({ library, status }) => `${namesOf([library])} ${status}`,
  );

test('tasks of one engine install one after another, and each library once', async () => {
  const { script, libraryManager } = createScriptedManager();
  const all = await Promise.all([
    ensureInstalled(libraryManager, [lib('a')]),
    ensureInstalled(libraryManager, [lib('a'), lib('b')]),
    ensureInstalled(libraryManager, [lib('b')]),
  ]);
  expect(all.map(({ kind }) => kind)).toEqual(['ready', 'ready', 'ready']);
  expect(script.installed.join(' ').split(' ').toSorted()).toEqual(['a', 'b']);
  expect((await listStates()).toSorted()).toEqual(['a INSTALLED', 'b INSTALLED']);
});

test('two engines that install on one cluster at the same time lose no library, because the second one retries', async () => {
  const [one, other] = [createScriptedManager(), createScriptedManager()];
  const installing = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  // Both engines read the libraries before either of them stores any.
  one.script.answer = async () => {
    installing[0].resolve();
    await installing[1].promise;
    return undefined;
  };
  other.script.answer = async () => {
    installing[1].resolve();
    await installing[0].promise;
    return undefined;
  };
  const paths = await Promise.all([
    ensureInstalled(one.libraryManager, [lib('a')]),
    ensureInstalled(other.libraryManager, [lib('b')]),
  ]);
  expect(paths.map((answer) => answer.kind)).toEqual(['ready', 'ready']);
  const { environment } = await store.getClusterLibraries({ clusterId, sparkContextId: '1' });
  expect(environment?.installed.map(({ library }) => libraryKey(library)).toSorted()).toEqual(
    [lib('a'), lib('b')].map(libraryKey),
  );
  expect([...one.script.installed, ...other.script.installed]).toHaveLength(3);
});

test('a failing library of a task fails the task without secrets in the message; a failing library of the cluster does not', async () => {
  const { script, libraryManager } = createScriptedManager();
  await store.add({ clusterId, sparkContextId: '1' }, [lib('bad')], true, 1);
  script.answer = async ({ wanted, environment }) => {
    const failures = wanted
      .filter((library) => namesOf([library]).startsWith('bad'))
      .map((library) => ({ library, message: `broken ${environment['PIP_TOKEN']}` }));
    return failures.length === 0 ? undefined : { kind: 'failed', failures };
  };
  expect(await ensureInstalled(libraryManager, [lib('a')])).toEqual(ready('a'));
  expect(
    await ensureInstalled(libraryManager, [lib('bad2'), lib('b')], {
      environment: { PIP_TOKEN: 'correct-horse' },
    }),
  ).toMatchObject({
    kind: 'failed',
    message:
      'Library installation failed for library due to user error. Error messages: pypi bad2: broken ***',
  });
  expect(await listStates()).toEqual(['bad FAILED', 'a INSTALLED', 'bad2 FAILED', 'b SKIPPED']);
  script.answer = undefined;
  expect(await ensureInstalled(libraryManager, [lib('bad2')])).toEqual(ready('a bad2'));
});

test('libraries that the cache has lost are all installed again', async () => {
  const { script, libraryManager } = createScriptedManager();
  await ensureInstalled(libraryManager, [lib('a')]);
  script.cached = false;
  const again = ensureInstalled(libraryManager, [lib('b')]);
  script.answer = async () => {
    script.cached = true;
    return undefined;
  };
  expect(await again).toEqual(ready('a b'));
  expect(script.installed).toEqual(['a', 'a b']);
});

test('a restart of the cluster reinstalls its own libraries and drops those of tasks', async () => {
  const { script, libraryManager } = createScriptedManager();
  await store.add({ clusterId, sparkContextId: '1' }, [lib('own'), lib('leaving')], true, 1);
  await ensureInstalled(libraryManager, [lib('task')]);
  await store.remove(clusterId, [lib('leaving')], 2);
  expect(await listStates()).toEqual(['own INSTALLED', 'leaving UNINSTALL_ON_RESTART', 'task INSTALLED']);
  expect(await ensureInstalled(libraryManager, [], { cluster: { clusterId, sparkContextId: '2' } })).toEqual(
    ready('own'),
  );
  expect(await listStates()).toEqual(['own INSTALLED']);
  expect(script.installed).toEqual(['own leaving task', 'own']);
});

test('a library that is removed and added again before the restart stays', async () => {
  const { libraryManager } = createScriptedManager();
  await store.add({ clusterId, sparkContextId: '1' }, [lib('own')], true, 1);
  await ensureInstalled(libraryManager, []);
  await store.remove(clusterId, [lib('own')], 2);
  await store.add({ clusterId, sparkContextId: '1' }, [lib('own')], true, 3);
  expect(await ensureInstalled(libraryManager, [])).toEqual(ready('own'));
  expect(await listStates()).toEqual(['own INSTALLED']);
});

test('a stopped task that waits for an installation returns at once, and a stopped installer ends first and leaves no state', async () => {
  const { script, libraryManager } = createScriptedManager();
  const [first, second] = [new AbortController(), new AbortController()];
  let ended = false;
  const started = Promise.withResolvers<void>();
  script.answer = (_order, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        ended = true;
        resolve({ kind: 'stopped' });
      });
      started.resolve();
    });
  const installing = ensureInstalled(libraryManager, [lib('a')], { signal: first.signal });
  await started.promise;
  const waiting = ensureInstalled(libraryManager, [lib('b')], { signal: second.signal });
  second.abort();
  expect(await waiting).toEqual({ kind: 'stopped' });
  expect(ended).toBe(false);
  first.abort();
  expect(await installing).toEqual({ kind: 'stopped' });
  expect(ended).toBe(true);
  expect(await listStates()).toEqual([]);
});

test('a task whose libraries are installed does not wait for the installation of another task', async () => {
  const { script, libraryManager } = createScriptedManager();
  await ensureInstalled(libraryManager, [lib('a')]);
  const [started, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  script.answer = async () => {
    started.resolve();
    await gate.promise;
    return undefined;
  };
  const installing = ensureInstalled(libraryManager, [lib('b')]);
  await started.promise;
  expect(await ensureInstalled(libraryManager, [lib('a')])).toEqual(ready('a'));
  expect(await ensureInstalled(libraryManager, [])).toEqual(ready('a'));
  gate.resolve();
  expect(await installing).toEqual(ready('a b'));
});

test('two versions of one package are rejected before the installer runs', async () => {
  const { script, libraryManager } = createScriptedManager();
  await ensureInstalled(libraryManager, [lib('a==1')]);
  expect(await ensureInstalled(libraryManager, [lib('a==2')])).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('pypi a==1 and pypi a==2 are two versions of the same package'),
  });
  expect(script.installed).toEqual(['a==1']);
});
