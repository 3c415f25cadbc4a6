/**
 * Executes random commands on the engine and on the reference model and compares both after each command.
 */
import { expect } from 'vitest';
import type { TaskOutcome } from '../../engine/run/assignment.ts';
import type { StoreBackend } from './store-backend.ts';
import { createEngineUnderTest, type EngineUnderTest } from './engine-under-test.ts';
import type { Command, GeneratedScenario } from './generators.ts';
import { observeModel } from './observation.ts';
import { withPolicies, withTimeouts, type JobPlan } from './job-plans.ts';
import {
  advanceUntilStable,
  changePlan,
  endAttempt,
  stopRun,
  type AttemptEnding,
} from './reference-model.ts';
import { advanceTo, nextDueTime } from './reference-timers.ts';
import { launchRun, repairRun, submitRun } from './reference-admission.ts';
import {
  createModel,
  isOver,
  labelOf,
  latestAttempt,
  type ModelRun,
  type ModelTask,
  type ModelState,
} from './reference-state.ts';

/** Statistics of the executed cases. */
export interface ComparisonStatistics {
  cases: number;
  commands: number;
  runs: number;
  attempts: number;
  repairs: number;
  notifications: number;
  restarts: number;
  /** Cases that ended early, because the following behaviour is unspecified. */
  ambiguous: number;
}

export const createComparisonStatistics = (): ComparisonStatistics => ({
  cases: 0,
  commands: 0,
  runs: 0,
  attempts: 0,
  repairs: 0,
  notifications: 0,
  restarts: 0,
  ambiguous: 0,
});

/** Start time of every case, epoch ms. */
const startTime = 1_770_000_000_000;

/** Executes one case on an empty backend. @throws AssertionError where engine and model differ */
export async function compareWithReference(
  backend: StoreBackend,
  { limits, jobs, commands }: GeneratedScenario,
  tally: ComparisonStatistics,
): Promise<void> {
  const model = createModel(jobs, limits, startTime);
  const engine = await createEngineUnderTest(backend, jobs, limits, startTime);
  tally.cases += 1;
  for (const [index, command] of commands.entries()) {
    // Launches are identified by their time, so two launches are one millisecond apart.
    await advanceBoth(model, engine, 1);
    engine.scheduleCrash(command.crash);
    await executeCommand(model, engine, command, index);
    // Overdue timers fire at once.
    await advanceBoth(model, engine, 0);
    engine.scheduleCrash(undefined);
    if (model.ambiguous) {
      tally.ambiguous += 1;
      break;
    }
    tally.commands += 1;
    assertSameObservations(
      await engine.observe(),
      observeModel(model, startTime),
      `After command ${index}, ${JSON.stringify(command)}:`,
    );
  }
  tally.runs += model.runs.length;
  tally.attempts += model.runs.flatMap((run) => run.tasks.flatMap((task) => task.attempts)).length;
  tally.repairs += model.runs.reduce((sum, run) => sum + run.repairCount, 0);
  tally.notifications += model.runs.flatMap((run) => run.notifications).length;
  tally.restarts += engine.restartCount();
}

/** Compares two observations. @throws Error that lists the lines of only one of them */
function assertSameObservations(engine: readonly string[], model: readonly string[], when: string): void {
  if (engine.join('\n') === model.join('\n')) return;
  const beyond = (own: readonly string[], other: readonly string[]): string[] =>
    own.filter(
      (line) =>
        own.filter((one) => one === line).length > other.filter((one) => one === line).length ||
        !other.includes(line),
    );
  throw new Error(
    [
      when,
      ...beyond(engine, model).map((line) => `  engine: ${line}`),
      ...beyond(model, engine).map((line) => `  model:  ${line}`),
    ].join('\n'),
  );
}

/** Moves the time on both sides, from one due time to the next. */
async function advanceBoth(model: ModelState, engine: EngineUnderTest, milliseconds: number): Promise<void> {
  const until = model.now + milliseconds;
  for (let steps = 0; ; steps += 1) {
    if (steps > 1_000) throw new Error('Something is due again and again in one instant.');
    const next = Math.min(nextDueTime(model) ?? Infinity, engine.nextDueTime() ?? Infinity);
    const instant = Math.max(model.now, Math.min(until, next));
    advanceTo(model, instant);
    await engine.advanceTo(instant);
    if (next > until) return;
  }
}

const outcomes: Readonly<Record<AttemptEnding, TaskOutcome>> = {
  succeeded: { kind: 'succeeded' },
  failed: { kind: 'failed', message: 'Broken' },
  lost: { kind: 'lost', message: 'Gone' },
  stopped: { kind: 'stopped' },
};

async function executeCommand(
  model: ModelState,
  engine: EngineUnderTest,
  command: Command,
  index: number,
): Promise<void> {
  switch (command.kind) {
    case 'run':
    case 'submit':
    case 'cancel':
    case 'repair':
    case 'cancel all':
      return executeRequest(model, engine, command, index);
    case 'end':
      return endPickedAttempt(model, engine, command.pick, command.ending);
    case 'wait':
      return advanceBoth(model, engine, command.milliseconds);
    case 'wait for it':
      return advanceBoth(model, engine, Math.max(0, (nextDueTime(model) ?? model.now) - model.now));
    case 'limit':
    case 'timeouts':
    case 'policies':
      return changeJob(model, engine, command);
    case 'kill':
      return engine.kill();
    default:
      return command satisfies never;
  }
}

type RequestCommand = Extract<Command, { kind: 'run' | 'submit' | 'cancel' | 'repair' | 'cancel all' }>;

/** Executes a request of a client. */
async function executeRequest(
  model: ModelState,
  engine: EngineUnderTest,
  command: RequestCommand,
  index: number,
): Promise<void> {
  switch (command.kind) {
    case 'run': {
      const { job: jobIndex, token, queue } = command;
      const job = model.jobs[jobIndex];
      if (job === undefined) return;
      const launched = launchRun(model, { job, token, queue });
      advanceUntilStable(model);
      const answer = await engine.launchRun(
        jobIndex,
        token === undefined ? `once-${index}` : `often-${token}`,
        queue,
      );
      expect(answer).toBe(launched === 'refused' ? 'refused' : 'started');
      return;
    }
    case 'submit': {
      const launched = submitRun(model, command.plan);
      advanceUntilStable(model);
      expect(await engine.submitRun(command.plan, `once-${index}`)).toBe(
        launched === 'refused' ? 'refused' : 'started',
      );
      return;
    }
    case 'cancel': {
      const run = pickFrom(model.runs, command.pick);
      if (run === undefined) return;
      stopRun(run, 'cancel');
      advanceUntilStable(model);
      return engine.cancelRun(run.job.label, run.number);
    }
    case 'repair': {
      const run = pickFrom(model.runs, command.pick);
      if (run === undefined) return;
      const repaired = repairRun(model, run, command);
      advanceUntilStable(model);
      expect(await engine.repairRun(run.job.label, run.number, command)).toBe(
        repaired === 'refused' ? 'refused' : 'started',
      );
      return;
    }
    case 'cancel all': {
      const job = model.jobs[command.job];
      for (const run of model.runs.filter((one) => one.job === job)) stopRun(run, 'cancel');
      advanceUntilStable(model);
      return engine.cancelAllRuns(command.job);
    }
    default:
      return command satisfies never;
  }
}

async function changeJob(
  model: ModelState,
  engine: EngineUnderTest,
  command: Extract<Command, { kind: 'limit' | 'timeouts' | 'policies' }>,
): Promise<void> {
  const job = model.jobs[command.job];
  if (job === undefined) return;
  const plan = changedPlanOf(job.plan, command);
  changePlan(model, job, plan);
  advanceUntilStable(model);
  return engine.changeJob(command.job, plan);
}

function changedPlanOf(
  plan: JobPlan,
  command: Extract<Command, { kind: 'limit' | 'timeouts' | 'policies' }>,
): JobPlan {
  switch (command.kind) {
    case 'limit':
      return { ...plan, maxConcurrent: command.most };
    case 'timeouts':
      return withTimeouts(plan, command.run, command.task);
    case 'policies':
      return withPolicies(plan, command);
    default:
      return command satisfies never;
  }
}

/** Ends one of the attempts with a running process. */
async function endPickedAttempt(
  model: ModelState,
  engine: EngineUnderTest,
  pick: number,
  wanted: AttemptEnding,
): Promise<void> {
  const executing = model.runs
    .filter((run) => !isOver(run))
    .flatMap((run) => run.tasks.map((task): [ModelRun, ModelTask] => [run, task]))
    .filter(([, task]) => latestAttempt(task).state === 'RUNNING' && task.plan.childJobIndex === undefined);
  const picked = pickFrom(executing, pick);
  if (picked === undefined) return;
  const [run, task] = picked;
  // Only attempts with a stop request are stopped.
  const ending = wanted === 'stopped' && latestAttempt(task).stopReason === undefined ? 'succeeded' : wanted;
  const label = `${labelOf(run)}/${task.plan.key}:${latestAttempt(task).number}`;
  endAttempt(model, run, task, ending);
  advanceUntilStable(model);
  return engine.endAttempt(label, outcomes[ending]);
}

function pickFrom<Item>(items: readonly Item[], pick: number): Item | undefined {
  return items.length === 0 ? undefined : items[pick % items.length];
}
