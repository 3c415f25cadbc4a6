/**
 * Who installs what on a cluster, and when: several tasks, several engines, restarts, and a cache that lost
 * something. The tools are a script here.
 */
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

interface Script {
  readonly installed: string[];
  /** Decides how an order ends; undefined: everything is installed. */
  answer:
    | ((
        order: InstallRequest,
        signal: AbortSignal,
      ) => Promise<Awaited<ReturnType<LibraryInstaller['install']>> | undefined>)
    | undefined;
  kept: boolean;
}

function scripted(): { script: Script; librarian: LibraryManager } {
  const script: Script = { installed: [], answer: undefined, kept: true };
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
    touchCached: async () => script.kept,
  };
  return { script, librarian: createLibraryManager({ store, installer, clock }) };
}

const equip = (
  librarian: LibraryManager,
  wanted: readonly Library[],
  changes: Partial<EnsureInstalledRequest> = {},
): Promise<EnsureInstalledResult> =>
  librarian.ensureInstalled({
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
const states = async (): Promise<string[]> =>
  ((await createLibraryReader(database.db).findStates(clusterId)) ?? []).map(
    ({ library, status }) => `${namesOf([library])} ${status}`,
  );

test('tasks of one engine take turns: the next finds what the one before it installed', async () => {
  const { script, librarian } = scripted();
  const all = await Promise.all([
    equip(librarian, [lib('a')]),
    equip(librarian, [lib('a'), lib('b')]),
    equip(librarian, [lib('b')]),
  ]);
  expect(all.map(({ kind }) => kind)).toEqual(['ready', 'ready', 'ready']);
  expect(script.installed.join(' ').split(' ').toSorted()).toEqual(['a', 'b']);
  expect((await states()).toSorted()).toEqual(['a INSTALLED', 'b INSTALLED']);
});

test('of two engines that add to one cluster at once, the one that comes second looks again, and nothing is lost', async () => {
  const [one, other] = [scripted(), scripted()];
  const meeting = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  // Both have looked before either has stored.
  one.script.answer = async () => {
    meeting[0].resolve();
    await meeting[1].promise;
    return undefined;
  };
  other.script.answer = async () => {
    meeting[1].resolve();
    await meeting[0].promise;
    return undefined;
  };
  const paths = await Promise.all([equip(one.librarian, [lib('a')]), equip(other.librarian, [lib('b')])]);
  expect(paths.map((answer) => answer.kind)).toEqual(['ready', 'ready']);
  const { environment } = await store.getClusterLibraries({ clusterId, sparkContextId: '1' });
  expect(environment?.installed.map(({ library }) => libraryKey(library)).toSorted()).toEqual(
    [lib('a'), lib('b')].map(libraryKey),
  );
  expect([...one.script.installed, ...other.script.installed]).toHaveLength(3);
});

test('a library of the cluster that fails keeps no task from starting; one of the task does, and its message tells no secret of the cluster', async () => {
  const { script, librarian } = scripted();
  await store.add({ clusterId, sparkContextId: '1' }, [lib('bad')], true, 1);
  script.answer = async ({ wanted, environment }) => {
    const failures = wanted
      .filter((library) => namesOf([library]).startsWith('bad'))
      .map((library) => ({ library, message: `broken ${environment['PIP_TOKEN']}` }));
    return failures.length === 0 ? undefined : { kind: 'failed', failures };
  };
  expect(await equip(librarian, [lib('a')])).toEqual(ready('a'));
  expect(
    await equip(librarian, [lib('bad2'), lib('b')], { environment: { PIP_TOKEN: 'correct-horse' } }),
  ).toEqual({
    kind: 'failed',
    message:
      'Library installation failed for library due to user error. Error messages: pypi bad2: broken ***',
  });
  expect(await states()).toEqual(['bad FAILED', 'a INSTALLED', 'bad2 FAILED', 'b SKIPPED']);
  script.answer = undefined;
  expect(await equip(librarian, [lib('bad2')])).toEqual(ready('a bad2'));
});

test('what the cache has lost is installed again, all of it', async () => {
  const { script, librarian } = scripted();
  await equip(librarian, [lib('a')]);
  script.kept = false;
  const again = equip(librarian, [lib('b')]);
  script.answer = async () => {
    script.kept = true;
    return undefined;
  };
  expect(await again).toEqual(ready('a b'));
  expect(script.installed).toEqual(['a', 'a b']);
});

test('after a restart of the cluster what belongs to it is installed again, what tasks brought is gone', async () => {
  const { script, librarian } = scripted();
  await store.add({ clusterId, sparkContextId: '1' }, [lib('own'), lib('leaving')], true, 1);
  await equip(librarian, [lib('task')]);
  await store.remove(clusterId, [lib('leaving')], 2);
  expect(await states()).toEqual(['own INSTALLED', 'leaving UNINSTALL_ON_RESTART', 'task INSTALLED']);
  expect(await equip(librarian, [], { cluster: { clusterId, sparkContextId: '2' } })).toEqual(ready('own'));
  expect(await states()).toEqual(['own INSTALLED']);
  expect(script.installed).toEqual(['own leaving task', 'own']);
});

test('what is given back and asked for again before the restart stays', async () => {
  const { librarian } = scripted();
  await store.add({ clusterId, sparkContextId: '1' }, [lib('own')], true, 1);
  await equip(librarian, []);
  await store.remove(clusterId, [lib('own')], 2);
  await store.add({ clusterId, sparkContextId: '1' }, [lib('own')], true, 3);
  expect(await equip(librarian, [])).toEqual(ready('own'));
  expect(await states()).toEqual(['own INSTALLED']);
});

test('a task that is stopped while another one installs does not wait; one that installs ends its tools first, and leaves no trace', async () => {
  const { script, librarian } = scripted();
  const [first, second] = [new AbortController(), new AbortController()];
  let ended = false;
  const begun = Promise.withResolvers<void>();
  script.answer = (_order, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        ended = true;
        resolve({ kind: 'stopped' });
      });
      begun.resolve();
    });
  const installing = equip(librarian, [lib('a')], { signal: first.signal });
  await begun.promise;
  const waiting = equip(librarian, [lib('b')], { signal: second.signal });
  second.abort();
  expect(await waiting).toEqual({ kind: 'stopped' });
  expect(ended).toBe(false);
  first.abort();
  expect(await installing).toEqual({ kind: 'stopped' });
  expect(ended).toBe(true);
  expect(await states()).toEqual([]);
});

test('a task that needs nothing more does not wait while another one installs', async () => {
  const { script, librarian } = scripted();
  await equip(librarian, [lib('a')]);
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  script.answer = async () => {
    begun.resolve();
    await gate.promise;
    return undefined;
  };
  const installing = equip(librarian, [lib('b')]);
  await begun.promise;
  expect(await equip(librarian, [lib('a')])).toEqual(ready('a'));
  expect(await equip(librarian, [])).toEqual(ready('a'));
  gate.resolve();
  expect(await installing).toEqual(ready('a b'));
});

test('two versions of one package are refused without asking a tool', async () => {
  const { script, librarian } = scripted();
  await equip(librarian, [lib('a==1')]);
  expect(await equip(librarian, [lib('a==2')])).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('pypi a==1 and pypi a==2 are two versions of the same package'),
  });
  expect(script.installed).toEqual(['a==1']);
});
