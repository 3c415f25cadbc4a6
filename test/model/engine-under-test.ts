/**
 * The real engine on a backend: doors, coordinator and queue, with a clock that the test moves; it can be
 * killed, and another one adopts.
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
import type { ModelLimits } from './reference-state.ts';

interface Engine {
  readonly crashInjector: CrashInjector;
  readonly runs: RunStore;
  readonly launchPorts: LaunchPorts;
  readonly coordinator: Coordinator;
  readonly queue: RunQueue;
}

export interface EngineUnderTest {
  /** Starts a run; `refused`: there is no room. The same token gives the same run. */
  launchRun(jobIndex: number, token: string, queue: boolean | undefined): Promise<'started' | 'refused'>;
  submitRun(plan: JobPlan, token: string): Promise<'started' | 'refused'>;
  /**
   * Runs everything again that failed in the run with this number; `refused`: nothing has, or it cannot be
   * done now.
   */
  repairRun(job: string, number: number): Promise<'started' | 'refused'>;
  /** Cancels the run with this number. */
  cancelRun(job: string, number: number): Promise<void>;
  cancelAllRuns(jobIndex: number): Promise<void>;
  /** Changes the settings of a job. */
  changeJob(jobIndex: number, plan: JobPlan): Promise<void>;
  /** Ends the process of an attempt, by its label in `seen`. */
  endAttempt(label: string, outcome: TaskOutcome): Promise<void>;
  kill(): Promise<void>;
  /**
   * The engine dies at a call of a store during what comes next; another one adopts, and the caller asks
   * again.
   */
  scheduleCrash(crash: CrashPoint | undefined): void;
  /** The next instant at which something is due; undefined when nothing is. */
  nextDueTime(): number | undefined;
  /** Moves the time, no further than to the next instant, and lets everything happen that follows. */
  advanceTo(instant: number): Promise<void>;
  /** Everything that can be seen. */
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
    const life = createCrashInjector();
    const runs = life.wrapStore(backend.runs);
    const endings = createRunEndListeners();
    const mortalClock = life.wrapClock(clock);
    const coordinator = createCoordinator({
      runs,
      clusters: life.wrapStore(backend.clusters),
      compute: createFakeCompute(),
      pool: table.createPool(life.isCrashed),
      clock: mortalClock,
      log,
      nodeId,
      limits,
      runEndListeners: endings,
      libraryManager: emptyLibraryManager,
      directories: {
        ensureAttemptDirectory: async (runId) => `/runs/${runId}`,
        ensureClusterDirectory: async (id) => `/clusters/${id}`,
        readTaskValues: async () => ({}),
        readOutput: async () => undefined,
      },
      workspace: { publicUrl: () => 'http://runyard.test', workspaceId: '1' },
      clusterStartMs: world.clusterMs,
      randomString: (length) => String((clusters += 1)).padStart(length, '0'),
      onCapacityFreed: () => queue.wake(),
    });
    const queue = createRunQueue({
      runs,
      clock: mortalClock,
      log,
      limits,
      nodeId,
      acceptRun: coordinator.accept,
      runEndListeners: endings,
    });
    return {
      crashInjector: life,
      runs,
      coordinator,
      queue,
      launchPorts: { runs, clock: mortalClock, limits, nodeId, acceptRun: coordinator.accept },
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

  /** Waits until nothing happens any more; an engine that died meanwhile is followed by another. */
  const quiet = async (): Promise<void> => {
    await engine.crashInjector.waitUntilIdle();
    while (engine.crashInjector.isCrashed()) {
      engine = boot();
      for (const run of await engine.runs.adopt(engine.launchPorts.nodeId, clock.now(), 10_000))
        engine.coordinator.accept(run);
      engine.queue.wake();
      await engine.crashInjector.waitUntilIdle();
    }
  };
  /**
   * Asks at a door until there is an answer, as clients do; one that asks again looks before whether it was
   * `done`.
   */
  const door = async (
    ask: (at: Engine) => Promise<unknown>,
    done: () => Promise<boolean> = async () => false,
  ): Promise<'started' | 'refused'> => {
    for (;;) {
      if (await done()) return 'started';
      const answers: (() => 'started' | 'refused')[] = [];
      void ask(engine).then(
        () => answers.push(() => 'started'),
        (error: unknown) =>
          answers.push(() => {
            if (error instanceof ServiceError) return 'refused';
            throw error;
          }),
      );
      await quiet();
      const [answer] = answers;
      if (answer !== undefined) return answer();
    }
  };
  const cancelling = (at: Engine) => ({
    runs: at.runs,
    stopRun(runId: number, reason: 'cancel' | 'timeout') {
      at.coordinator.stop(runId, reason);
      at.queue.wake();
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
      door((at) =>
        launchRun(at.launchPorts, {
          jobId: jobIdAt(jobIndex),
          parameters: {},
          idempotencyToken,
          creator: 'ann',
          queue,
        }),
      ),
    submitRun: (plan, token) =>
      door((at) =>
        submitRun(at.launchPorts, {
          settings: { ...settingsOf(plan, jobIdAt), idempotency_token: token },
          version: '2.0',
          creator: 'ann',
        }),
      ),
    async repairRun(job, number) {
      const run = (await rowsOf(job)).find((row) => row.number_in_job === number);
      if (run === undefined) throw new Error(`There is no run ${job}#${number}.`);
      const { run_id: runId, repair_id: latest } = run;
      const isRepaired = async (): Promise<boolean> =>
        (await rowsOf(job)).find((row) => row.run_id === runId)?.repair_id !== latest;
      return door(
        (at) =>
          repairRun(at.launchPorts, {
            runId,
            taskKeys: [],
            allFailed: true,
            includeDependents: false,
            latestRepairId: latest ?? 0,
            parameters: {},
          }),
        isRepaired,
      );
    },
    async cancelRun(job, number) {
      const run = (await rowsOf(job)).find((row) => row.number_in_job === number);
      if (run === undefined) throw new Error(`There is no run ${job}#${number}.`);
      await door((at) => cancelRun(cancelling(at), run.run_id));
    },
    async cancelAllRuns(jobIndex) {
      const unstopped = async () =>
        (await rowsOf(`job${jobIndex}`))
          .filter((run) => run.active && run.stop_reason === null)
          .map((run) => run.run_id);
      const meant = await unstopped();
      // Whoever asked before the engine died does not mean runs that were started since.
      const isDone = async (): Promise<boolean> => {
        const left = await unstopped();
        return !meant.some((runId) => left.includes(runId));
      };
      await door(
        (at) => cancelAllRuns(cancelling(at), { jobId: jobIdAt(jobIndex), queuedOnly: false }),
        isDone,
      );
    },
    async changeJob(jobIndex, plan) {
      for (const { runId, settings } of await backend.changeJob(jobIdAt(jobIndex), settingsOf(plan, jobIdAt)))
        engine.coordinator.updateTimeouts(runId, settings);
      engine.queue.wake();
      await quiet();
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
      await quiet();
    },
    async kill() {
      engine.crashInjector.crashNow();
      await quiet();
    },
    scheduleCrash: (crash) => engine.crashInjector.crashAtCall(crash),
    nextDueTime: () => clock.nextDueTime(),
    async advanceTo(instant) {
      clock.advance(instant - clock.now());
      await quiet();
      // Two beats: what the first one lets in may change what the others wait for.
      for (let beat = 0; beat < 2; beat += 1) {
        engine.queue.wake();
        await quiet();
      }
    },
    observe: () => observeEngine(backend, table, jobIds, zero),
    restartCount: () => engines - 1,
  };
}
