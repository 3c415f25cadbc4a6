/**
 * Sees to it that a cluster has the libraries of a task before the task starts there (spec 2.8, DESIGN
 * section 6).
 */
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
import { clusterChoiceOf } from '../run/cluster-choice.ts';
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
import type { TaskCluster } from '../run/assignment.ts';
import { maskOfVariables, maskText } from '../run/masking.ts';
import type { RunExecution, TaskExecution, ClusterInUse } from './run-execution.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { setTaskTimeout } from './stop.ts';
import { setTaskWarning } from './duration-warnings.ts';
import { transitionTask } from './transition-run.ts';

/** A cluster with its libraries; or why the task cannot start there. */
export type PreparedCluster = (ClusterInUse & Pick<TaskCluster, 'libraries'>) | { readonly failed: string };

/**
 * The cluster of a task with everything that the task needs of libraries; undefined when the task was stopped
 * meanwhile.
 */
export async function prepareLibraries(
  c: CoordinatorContext,
  active: RunExecution,
  task: TaskExecution,
  cluster: ClusterInUse,
): Promise<PreparedCluster | undefined> {
  const wanted = task.settings.libraries ?? [];
  if (wanted.length === 0 && !mayHaveLibraries(active, task)) return { ...cluster, libraries: noLibraries };
  // Its process is there, and may be over, whatever became of the libraries.
  if (task.taskRun.progress.state === 'RUNNING')
    return { ...cluster, libraries: await c.libraryManager.getPaths(cluster) };
  if (task.stopReason !== undefined) return undefined;
  const stop = new AbortController();
  task.interruptWait = () => stop.abort();
  const equipped = await c.libraryManager.ensureInstalled({
    cluster,
    environment: cluster.environment,
    wanted,
    signal: stop.signal,
    directory: () => c.directories.ensureAttemptDirectory(task.taskRun.runId),
    async onInstallStart() {
      await transitionTask(c, active, task, 'prepare', {
        clusterId: cluster.clusterId,
        message: `Installing libraries on cluster ${cluster.clusterId}`,
      });
      setTaskTimeout(c, active, task);
      setTaskWarning(c, active, task);
    },
  });
  task.interruptWait = undefined;
  if (equipped.kind === 'failed') return { failed: equipped.message };
  return equipped.kind === 'ready' ? { ...cluster, libraries: equipped.paths } : undefined;
}

/** Ends what is left of an installation, by whichever engine, for a task that is to start no more. */
export async function stopLibraryInstallers(c: CoordinatorContext, task: TaskExecution): Promise<void> {
  // One that never got as far as to prepare has nothing.
  if (task.taskRun.progress.startTime === undefined || (task.settings.libraries ?? []).length === 0) return;
  await c.libraryManager.stopInstallers(await c.directories.ensureAttemptDirectory(task.taskRun.runId));
}

/** Whether others may have brought libraries to the cluster of a task that names none itself. */
function mayHaveLibraries({ run, tasks }: RunExecution, { settings }: TaskExecution): boolean {
  const choice = clusterChoiceOf(settings, run.settings);
  if (choice.kind === 'existing') return true;
  return (
    choice.kind === 'shared' &&
    [...tasks.values()].some(
      (other) => other.settings.job_cluster_key === choice.key && (other.settings.libraries ?? []).length > 0,
    )
  );
}

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
    async ensureInstalled(order) {
      const { clusterId } = order.cluster;
      // Whoever needs nothing more does not wait while others install.
      const there = await planInstallation(ports, order);
      if (there.missing.length === 0) return { kind: 'ready', paths: there.present.paths };
      let begun = false;
      // One after the other on a cluster: the second finds what the first has installed.
      const turn = (turns.get(clusterId) ?? Promise.resolve()).then(() => {
        begun = true;
        return ensureInstalled(ports, order);
      });
      const over = turn.then(
        () => undefined,
        () => undefined,
      );
      turns.set(clusterId, over);
      void removeTurn(turns, clusterId, over);
      // Whoever has begun ends its installers first.
      return Promise.race([turn, waitForAbort(order.signal).then(() => (begun ? turn : stoppedResult))]);
    },
    stopInstallers: ports.installer.stopInstallers,
    async getPaths(cluster): Promise<LibraryPaths> {
      return (await ports.store.getClusterLibraries(cluster)).environment?.paths ?? noLibraries;
    },
  };
}

/** Whoever comes when nobody waits any more need not wait for anything. */
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
  order: EnsureInstalledRequest,
): Promise<EnsureInstalledResult> {
  let told = false;
  for (;;) {
    if (order.signal.aborted) return stoppedResult;
    const plan = await planInstallation(ports, order);
    if (plan.missing.length === 0) return { kind: 'ready', paths: plan.present.paths };
    if (!told) await order.onInstallStart?.();
    told = true;
    const done = await installMissing(ports, order, plan);
    if (done !== undefined) return done;
  }
}

/** What a cluster has, and what of all that it is to have is missing. */
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
 * What the task wants and what was requested for the cluster, as far as the cluster does not have it. All of
 * it when the cache has lost something.
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

/** What is installed but not said to be: it was asked for again. */
function findUnmarkedInstalled({ states, environment }: ClusterLibraries): Library[] {
  const there = new Set((environment?.installed ?? []).map(({ library }) => libraryKey(library)));
  return states
    .filter(({ library, status }) => pendingStatuses.has(status) && there.has(libraryKey(library)))
    .map(({ library }) => library);
}

interface InstallPlan {
  readonly known: ClusterLibraries;
  readonly present: ClusterEnvironment;
  readonly missing: readonly Library[];
}

/** One try. Undefined: look at the cluster again. */
async function installMissing(
  { store, installer, clock }: LibraryManagerPorts,
  order: EnsureInstalledRequest,
  { known, present, missing }: InstallPlan,
): Promise<EnsureInstalledResult | undefined> {
  const { cluster, environment, directory, signal, wanted } = order;
  const { clusterId } = cluster;
  await store.add(cluster, missing, false, clock.now());
  const mask = maskOfVariables([environment]);
  // Installers may have told what they were given.
  const shown = (failure: LibraryFailure): LibraryFailure => ({
    ...failure,
    message: maskText(mask, failure.message),
  });
  const lost = missing.some((library) =>
    present.installed.some((one) => libraryKey(one.library) === libraryKey(library)),
  );
  const base = lost ? emptyEnvironment : present;
  const clash = findLibraryConflict([...base.installed.map(({ library }) => library), ...missing]);
  const outcome =
    clash === undefined
      ? await installer.install(
          {
            environment,
            directory: await directory(),
            current: base,
            wanted: missing,
            onProgress: (libraries, status) => store.setStatus(clusterId, libraries, status, [], clock.now()),
          },
          signal,
        )
      : {
          kind: 'failed' as const,
          failures: clash.libraries
            .filter((library) => missing.includes(library))
            .map((library) => ({ library, message: clash.message })),
        };
  switch (outcome.kind) {
    case 'installed':
      await store.saveEnvironment(cluster, outcome.environment, known.version, clock.now());
      return undefined;
    case 'failed':
      return recordFailures(store, clock.now(), {
        clusterId,
        missing,
        wanted,
        failures: outcome.failures.map(shown),
      });
    case 'stopped':
      await store.setStatus(clusterId, missing, 'PENDING', [], clock.now());
      // Nobody waits any more for what only this task wanted.
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

function isRequested({ states }: ClusterLibraries, library: Library): boolean {
  return states.some((state) => state.requested && libraryKey(state.library) === libraryKey(library));
}

interface FailedInstallation {
  readonly clusterId: string;
  readonly missing: readonly Library[];
  readonly wanted: readonly Library[];
  readonly failures: readonly LibraryFailure[];
}

/** A task fails by its own libraries alone: one of the cluster that fails is left out. */
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
  return { kind: 'failed', message: installationFailedMessage(ownFailures) };
}
