/** Libraries of clusters: installed once per cluster, one installation at a time (spec 2.8). */
import type { Clock } from '../clock.ts';
import {
  findLibraryConflict,
  installationFailedMessage,
  libraryKey,
  noLibraries,
  type LibraryFailure,
  type LibraryPaths,
  type LibraryStatus,
} from '../cluster/libraries.ts';
import type { Library } from '../job/cluster.ts';
import type {
  ClusterEnvironment,
  ClusterLibraries,
  EnsureInstalledRequest,
  EnsureInstalledResult,
  LibraryManager,
  LibraryInstaller,
  LibraryStore,
} from '../ports/libraries.ts';
import { maskOfVariables, maskText } from '../run/masking.ts';

export interface LibraryManagerPorts {
  readonly store: LibraryStore;
  readonly installer: LibraryInstaller;
  readonly clock: Clock;
}

const emptyEnvironment: ClusterEnvironment = { installed: [], paths: noLibraries };
const stoppedResult: EnsureInstalledResult = { kind: 'stopped' };

export function createLibraryManager(ports: LibraryManagerPorts): LibraryManager {
  const turns = new Map<string, Promise<unknown>>();
  return {
    async ensureInstalled(request) {
      const { clusterId } = request.cluster;
      // A task with nothing to install does not wait for the installations of others.
      const plan = await planInstallation(ports, request);
      if (plan.missing.length === 0) return { kind: 'ready', paths: plan.present.paths };
      let begun = false;
      // One installation at a time on a cluster: the second finds what the first has installed.
      const turn = (turns.get(clusterId) ?? Promise.resolve()).then(() => {
        begun = true;
        return ensureInstalled(ports, request);
      });
      const over = turn.then(
        () => undefined,
        () => undefined,
      );
      turns.set(clusterId, over);
      void removeTurn(turns, clusterId, over);
      // An installation that has begun ends its installers first.
      return Promise.race([turn, waitForAbort(request.signal).then(() => (begun ? turn : stoppedResult))]);
    },
    stopInstallers: ports.installer.stopInstallers,
    async getPaths(cluster): Promise<LibraryPaths> {
      return (await ports.store.getClusterLibraries(cluster)).environment?.paths ?? noLibraries;
    },
  };
}

/** Removes the last turn of a cluster once it is over. */
async function removeTurn(
  turns: Map<string, Promise<unknown>>,
  clusterId: string,
  turn: Promise<unknown>,
): Promise<void> {
  await turn;
  if (turns.get(clusterId) === turn) turns.delete(clusterId);
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function ensureInstalled(
  ports: LibraryManagerPorts,
  request: EnsureInstalledRequest,
): Promise<EnsureInstalledResult> {
  for (let announced = false; ; announced = true) {
    if (request.signal.aborted) return stoppedResult;
    const plan = await planInstallation(ports, request);
    if (plan.missing.length === 0) return { kind: 'ready', paths: plan.present.paths };
    if (!announced) await request.onInstallStart?.();
    if (request.signal.aborted) return stoppedResult;
    const result = await installMissing(ports, request, plan);
    if (result !== undefined) return result;
  }
}

/** Returns what a cluster has and what it lacks. */
async function planInstallation(
  ports: LibraryManagerPorts,
  { cluster, wanted }: EnsureInstalledRequest,
): Promise<InstallPlan> {
  const known = await ports.store.getClusterLibraries(cluster);
  const present = known.environment ?? emptyEnvironment;
  const missing = await findMissing(ports, known, present, wanted);
  if (missing.length === 0)
    await ports.store.setStatus(
      cluster.clusterId,
      findUnmarkedInstalled(known),
      'INSTALLED',
      [],
      ports.clock.now(),
    );
  return { known, present, missing };
}

/**
 * Returns the libraries that the task needs or that were requested for the cluster, without those that are
 * installed. When the cache has lost a file, all of them.
 */
async function findMissing(
  { installer }: LibraryManagerPorts,
  { states }: ClusterLibraries,
  present: ClusterEnvironment,
  wanted: readonly Library[],
): Promise<Library[]> {
  const requested = states
    .filter((state) => state.requested && state.status !== 'FAILED')
    .map((state) => state.library);
  const all = new Map([...requested, ...wanted].map((library) => [libraryKey(library), library]));
  if (present.installed.length > 0 && !(await installer.touchCached(present.paths))) {
    return [
      ...new Map([
        ...present.installed.map(({ library }) => [libraryKey(library), library] as const),
        ...all,
      ]).values(),
    ];
  }
  for (const { library } of present.installed) all.delete(libraryKey(library));
  return [...all.values()];
}

const pendingStatuses: ReadonlySet<LibraryStatus> = new Set([
  'PENDING',
  'RESOLVING',
  'INSTALLING',
  'SKIPPED',
]);

/** Returns the installed libraries whose status is pending because they were requested again. */
function findUnmarkedInstalled({ states, environment }: ClusterLibraries): Library[] {
  const installed = new Set((environment?.installed ?? []).map(({ library }) => libraryKey(library)));
  return states
    .filter(({ library, status }) => pendingStatuses.has(status) && installed.has(libraryKey(library)))
    .map(({ library }) => library);
}

interface InstallPlan {
  readonly known: ClusterLibraries;
  readonly present: ClusterEnvironment;
  readonly missing: readonly Library[];
}

/** Installs what is missing. Returns undefined when the cluster must be checked again. */
async function installMissing(
  ports: LibraryManagerPorts,
  request: EnsureInstalledRequest,
  plan: InstallPlan,
): Promise<EnsureInstalledResult | undefined> {
  const { store, clock } = ports;
  const { cluster, environment, wanted } = request;
  const { known, missing } = plan;
  const { clusterId } = cluster;
  await store.add(cluster, missing, false, clock.now());
  const outcome = await runInstaller(ports, request, plan);
  switch (outcome.kind) {
    case 'installed':
      await store.saveEnvironment(cluster, outcome.environment, known.version, clock.now());
      return undefined;
    case 'failed': {
      // Installers may quote values of the environment.
      const mask = maskOfVariables([environment]);
      const failures = outcome.failures.map((failure) => ({
        ...failure,
        message: maskText(mask, failure.message),
      }));
      return recordFailures(store, clock.now(), { clusterId, missing, wanted, failures });
    }
    case 'stopped':
      await store.setStatus(clusterId, missing, 'PENDING', [], clock.now());
      // Libraries that only this task needs are no longer wanted.
      await store.remove(
        clusterId,
        missing.filter((library) => !isRequested(known, library)),
        clock.now(),
      );
      return stoppedResult;
    default:
      return outcome satisfies never;
  }
}

/** Installs the missing libraries on top of those that the cluster has, unless some of them conflict. */
async function runInstaller(
  { store, installer, clock }: LibraryManagerPorts,
  { cluster, environment, directory, signal }: EnsureInstalledRequest,
  { present, missing }: InstallPlan,
): ReturnType<LibraryInstaller['install']> {
  const cacheIsIncomplete = missing.some((library) =>
    present.installed.some((one) => libraryKey(one.library) === libraryKey(library)),
  );
  const current = cacheIsIncomplete ? emptyEnvironment : present;
  const conflict = findLibraryConflict([...current.installed.map(({ library }) => library), ...missing]);
  if (conflict !== undefined)
    return {
      kind: 'failed',
      failures: conflict.libraries
        .filter((library) => missing.includes(library))
        .map((library) => ({ library, message: conflict.message })),
    };
  const onProgress: Parameters<LibraryInstaller['install']>[0]['onProgress'] = (libraries, status) =>
    store.setStatus(cluster.clusterId, libraries, status, [], clock.now());
  return installer.install(
    { environment, directory: await directory(), current, wanted: missing, onProgress },
    signal,
  );
}

function isRequested({ states }: ClusterLibraries, library: Library): boolean {
  return states.some((state) => state.requested && libraryKey(state.library) === libraryKey(library));
}

interface FailedInstallation {
  readonly clusterId: string;
  readonly missing: readonly Library[];
  readonly wanted: readonly Library[];
  readonly failures: readonly LibraryFailure[];
}

/** Fails the task only for its own libraries; a failed library of the cluster is left out. */
async function recordFailures(
  store: LibraryStore,
  now: number,
  { clusterId, missing, wanted, failures }: FailedInstallation,
): Promise<EnsureInstalledResult | undefined> {
  for (const { library, message } of failures)
    await store.setStatus(clusterId, [library], 'FAILED', [message], now);
  const failed = new Set(failures.map(({ library }) => libraryKey(library)));
  const own = new Set(wanted.map(libraryKey));
  const ownFailures = failures.filter(({ library }) => own.has(libraryKey(library)));
  if (ownFailures.length === 0) return undefined;
  const rest = missing.filter((library) => !failed.has(libraryKey(library)));
  await store.setStatus(
    clusterId,
    rest,
    'SKIPPED',
    [`Not installed, because ${failures.length === 1 ? 'another library' : 'other libraries'} failed.`],
    now,
  );
  return { kind: 'failed', message: installationFailedMessage(ownFailures), failures: ownFailures };
}
