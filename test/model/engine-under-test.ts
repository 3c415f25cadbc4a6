/**
 * The real engine on a backend: entry points, coordinator and queue, with a manual clock. The test can crash
 * it; another engine then adopts its runs.
 */
import { emptyLibraryManager } from '../unit/engine/coordinator/empty-libraries.ts';
import { pino } from 'pino';
import { cancelRun, cancelAllRuns } from '../../engine/cancel.ts';
import { createRunQueue, type RunQueue } from '../../engine/coordinator/run-queue.ts';
import { createCoordinator, type Coordinator } from '../../engine/coordinator/coordinator.ts';
import { createRunEndListeners } from '../../engine/coordinator/run-end-listeners.ts';
import { ServiceError } from '../../engine/errors.ts';
import { launchRun, submitRun, type LaunchPorts } from '../../engine/launch.ts';
import { defaultLimits, type Limits } from '../../engine/limits.ts';
import { repairRun } from '../../engine/repair.ts';
import type { TaskOutcome } from '../../engine/run/assignment.ts';
import type { RunStore } from '../../engine/ports/runs.ts';
import { createManualClock } from '../harness/manual-clock.ts';
import { createFakeCompute } from '../harness/fake-compute.ts';
import type { StoreBackend } from './store-backend.ts';
import { createCrashInjector, type CrashPoint, type CrashInjector } from './crash-injector.ts';
import { observeEngine } from './observation.ts';
import { settingsOf, type JobPlan } from './job-plans.ts';
import { createFakeProcessTable } from './fake-process-table.ts';
import type { RepairOptions } from './reference-admission.ts';
import type { ModelLimits } from './reference-state.ts';

interface Engine {
  readonly crashInjector: CrashInjector;
  readonly runs: RunStore;
  readonly launchPorts: LaunchPorts;
  readonly coordinator: Coordinator;
  readonly queue: RunQueue;
}

export interface EngineUnderTest {
  /** Starts a run; `refused` when there is no capacity. The same token returns the same run. */
  launchRun(jobIndex: number, token: string, queue: boolean | undefined): Promise<'started' | 'refused'>;
  submitRun(plan: JobPlan, token: string): Promise<'started' | 'refused'>;
  /** Repairs all failed tasks of a run; `refused` when none failed or there is no capacity. */
  repairRun(job: string, number: number, options: RepairOptions): Promise<'started' | 'refused'>;
  /** Cancels a run by its number. */
  cancelRun(job: string, number: number): Promise<void>;
  cancelAllRuns(jobIndex: number): Promise<void>;
  /** Changes the settings of a job. */
  changeJob(jobIndex: number, plan: JobPlan): Promise<void>;
  /** Ends the process of an attempt, by its label in the observation. */
  endAttempt(label: string, outcome: TaskOutcome): Promise<void>;
  kill(): Promise<void>;
  /**
   * Crashes the engine at a later store call. Another engine adopts its runs, and callers repeat requests.
   */
  scheduleCrash(crash: CrashPoint | undefined): void;
  /** Next instant at which a timer is due; undefined when none is pending. */
  nextDueTime(): number | undefined;
  /** Moves the clock, at most to the next due time, and waits until the engine is idle. */
  advanceTo(instant: number): Promise<void>;
  /** Returns the observable state. */
  observe(): Promise<string[]>;
  /** Number of engines that were killed. */
  restartCount(): number;
}

const log = pino({ level: 'silent' });

export async function createEngineUnderTest(
  backend: StoreBackend,
  plans: readonly JobPlan[],
  world: ModelLimits,
  zero: number,
): Promise<EngineUnderTest> {
  const clock = createManualClock(zero);
  const limits: Limits = {
    ...defaultLimits,
    concurrentTaskRuns: world.taskRuns,
    concurrentRunJobTasks: world.runJobTasks,
    runJobDepth: world.depth,
    queueHours: world.queueMs / 3_600_000,
  };
  const table = createFakeProcessTable();
  let engines = 0;
  let clusters = 0;
  const boot = (): Engine => {
    const nodeId = `node-${(engines += 1)}`;
    const crashInjector = createCrashInjector();
    const runs = crashInjector.wrapStore(backend.runs);
    const runEndListeners = createRunEndListeners();
    const engineClock = crashInjector.wrapClock(clock);
    const coordinator = createCoordinator({
      runs,
      clusters: crashInjector.wrapStore(backend.clusters),
      compute: createFakeCompute(),
      pool: table.createPool(crashInjector.isCrashed),
      clock: engineClock,
      log,
      nodeId,
      limits,
      runEndListeners,
      libraryManager: emptyLibraryManager,
      directories: {
        ensureAttemptDirectory: async (runId) => `/runs/${runId}`,
        ensureClusterDirectory: async (id) => `/clusters/${id}`,
        readTaskValues: async () => ({}),
        findSparkApplication: async () => undefined,
        readOutput: async () => undefined,
      },
      workspace: { publicUrl: () => 'http://runyard.test', workspaceId: '1' },
      clusterStartMs: world.clusterMs,
      randomString: (length) => String((clusters += 1)).padStart(length, '0'),
      onCapacityFreed: () => queue.wake(),
    });
    const queue = createRunQueue({
      runs,
      clock: engineClock,
      log,
      limits,
      nodeId,
      acceptRun: coordinator.accept,
      runEndListeners,
    });
    return {
      crashInjector,
      runs,
      coordinator,
      queue,
      launchPorts: { runs, clock: engineClock, limits, nodeId, acceptRun: coordinator.accept },
    };
  };
  const jobIds: number[] = [];
  for (const plan of plans)
    jobIds.push(
      await backend.createJob(
        settingsOf(plan, (index) => jobIds[index] ?? 0),
        zero,
      ),
    );
  let engine = boot();

  /** Waits until the engine is idle. A new engine replaces one that crashed. */
  const waitUntilIdle = async (): Promise<void> => {
    await engine.crashInjector.waitUntilIdle();
    while (engine.crashInjector.isCrashed()) {
      engine = boot();
      for (const run of await engine.runs.adopt(engine.launchPorts.nodeId, clock.now(), 10_000))
        engine.coordinator.accept(run);
      engine.queue.wake();
      await engine.crashInjector.waitUntilIdle();
    }
  };
  /** Repeats a request until it is answered, as clients do. A repetition first checks whether it `isDone`. */
  const request = async (
    send: (target: Engine) => Promise<unknown>,
    isDone: () => Promise<boolean> = async () => false,
  ): Promise<'started' | 'refused'> => {
    for (;;) {
      if (await isDone()) return 'started';
      const answers: (() => 'started' | 'refused')[] = [];
      void send(engine).then(
        () => answers.push(() => 'started'),
        (error: unknown) =>
          answers.push(() => {
            if (error instanceof ServiceError) return 'refused';
            throw error;
          }),
      );
      await waitUntilIdle();
      const [answer] = answers;
      if (answer !== undefined) return answer();
    }
  };
  const cancelPortsOf = (target: Engine) => ({
    runs: target.runs,
    stopRun(runId: number, reason: 'cancel' | 'timeout', message?: string) {
      target.coordinator.stop(runId, reason, message);
      target.queue.wake();
    },
  });
  const rowsOf = async (label: string) => {
    const { runs } = await backend.readRows();
    const found = label.startsWith('job') ? jobIds[Number(label.slice('job'.length))] : undefined;
    const hidden = [...new Set(runs.map((run) => run.job_id))]
      .filter((jobId) => !jobIds.includes(jobId))
      .toSorted((one, other) => one - other);
    const jobId = found ?? hidden[Number(label.slice('submission'.length))];
    return runs.filter((run) => run.job_id === jobId);
  };
  const jobIdAt = (index: number): number => jobIds[index] ?? 0;

  return {
    launchRun: (jobIndex, idempotencyToken, queue) =>
      request((target) =>
        launchRun(target.launchPorts, {
          jobId: jobIdAt(jobIndex),
          parameters: {},
          idempotencyToken,
          creator: 'ann',
          queue,
        }),
      ),
    submitRun: (plan, token) =>
      request((target) =>
        submitRun(target.launchPorts, {
          settings: { ...settingsOf(plan, jobIdAt), idempotency_token: token },
          version: '2.0',
          creator: 'ann',
        }),
      ),
    async repairRun(job, number, { original, queue }) {
      const run = (await rowsOf(job)).find((row) => row.number_in_job === number);
      if (run === undefined) throw new Error(`There is no run ${job}#${number}.`);
      const { run_id: runId, repair_id: latest } = run;
      const isRepaired = async (): Promise<boolean> =>
        (await rowsOf(job)).find((row) => row.run_id === runId)?.repair_id !== latest;
      return request(
        (target) =>
          repairRun(target.launchPorts, {
            runId,
            taskKeys: [],
            allFailed: true,
            includeDependents: false,
            latestRepairId: latest ?? 0,
            useOriginalSettings: original,
            queue,
            parameters: {},
          }),
        isRepaired,
      );
    },
    async cancelRun(job, number) {
      const run = (await rowsOf(job)).find((row) => row.number_in_job === number);
      if (run === undefined) throw new Error(`There is no run ${job}#${number}.`);
      await request((target) => cancelRun(cancelPortsOf(target), run.run_id));
    },
    async cancelAllRuns(jobIndex) {
      const unstopped = async () =>
        (await rowsOf(`job${jobIndex}`))
          .filter((run) => run.active && run.stop_reason === null)
          .map((run) => run.run_id);
      const requested = await unstopped();
      // A request from before the crash does not cover runs that started later.
      const isDone = async (): Promise<boolean> => {
        const left = await unstopped();
        return !requested.some((runId) => left.includes(runId));
      };
      await request(
        (target) => cancelAllRuns(cancelPortsOf(target), { jobId: jobIdAt(jobIndex), queuedOnly: false }),
        isDone,
      );
    },
    async changeJob(jobIndex, plan) {
      for (const { runId, settings } of await backend.changeJob(jobIdAt(jobIndex), settingsOf(plan, jobIdAt)))
        engine.coordinator.updateTimeouts(runId, settings);
      engine.queue.wake();
      await waitUntilIdle();
    },
    async endAttempt(label, outcome) {
      const [, job = '', number, key = '', attempt] = /^(\w+)#(\d+)\/(\w+):(\d+)$/.exec(label) ?? [];
      const run = (await rowsOf(job)).find((row) => row.number_in_job === Number(number));
      const process = [...table.processes.values()].find(
        ({ assignment }) =>
          assignment.jobRunId === run?.run_id &&
          assignment.taskKey === key &&
          assignment.attempt === Number(attempt),
      );
      if (process === undefined) throw new Error(`There is no process of ${label}.`);
      process.end(outcome);
      await waitUntilIdle();
    },
    async kill() {
      engine.crashInjector.crashNow();
      await waitUntilIdle();
    },
    scheduleCrash: (crash) => engine.crashInjector.crashAtCall(crash),
    nextDueTime: () => clock.nextDueTime(),
    async advanceTo(instant) {
      clock.advance(instant - clock.now());
      await waitUntilIdle();
      // The first wake-up may admit runs whose tasks free capacity for the second.
      for (let wakeUp = 0; wakeUp < 2; wakeUp += 1) {
        engine.queue.wake();
        await waitUntilIdle();
      }
    },
    observe: () => observeEngine(backend, table, jobIds, zero),
    restartCount: () => engines - 1,
  };
}
