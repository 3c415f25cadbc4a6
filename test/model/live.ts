/**
 * Lives a random world twice, by the engine and by the model, and compares what is seen after each command.
 */
import { expect } from 'vitest';
import type { TaskOutcome } from '../../engine/run/assignment.ts';
import type { Backend } from './backend.ts';
import { createEngineSide, type EngineSide } from './engine-side.ts';
import type { Command, RandomWorld } from './generators.ts';
import { seenOfModel } from './observation.ts';
import { withTimeouts } from './plans.ts';
import { changePlan, endAttempt, moveTo, nextInstant, settle, stopRun, type Ending } from './reference.ts';
import { launchRun, repairRun, submitRun } from './reference-admission.ts';
import {
  createModel,
  isOver,
  labelOf,
  latest,
  type ModelRun,
  type ModelTask,
  type World,
} from './reference-state.ts';

/** What lives had in them, to see that they were worth it. */
export interface Tally {
  cases: number;
  commands: number;
  runs: number;
  attempts: number;
  repairs: number;
  notices: number;
  engines: number;
  /** Lives that ended early, because what followed was nobody's promise. */
  ambiguous: number;
}

export const newTally = (): Tally => ({
  cases: 0,
  commands: 0,
  runs: 0,
  attempts: 0,
  repairs: 0,
  notices: 0,
  engines: 0,
  ambiguous: 0,
});

/** When every world begins, epoch ms. */
const zero = 1_770_000_000_000;

/** Lives a world on an empty backend. @throws AssertionError where engine and model differ */
export async function live(
  backend: Backend,
  { limits, jobs, commands }: RandomWorld,
  tally: Tally,
): Promise<void> {
  const model = createModel(jobs, limits, zero);
  const engine = await createEngineSide(backend, jobs, limits, zero);
  tally.cases += 1;
  for (const [index, command] of commands.entries()) {
    // Nothing but time tells two launches apart: they are a millisecond apart.
    await wait(model, engine, 1);
    engine.crashAt(command.crash);
    await perform(model, engine, command, index);
    // What is overdue by now happens at once.
    await wait(model, engine, 0);
    engine.crashAt(undefined);
    if (model.ambiguous) {
      tally.ambiguous += 1;
      break;
    }
    tally.commands += 1;
    compare(
      await engine.seen(),
      seenOfModel(model, zero),
      `After command ${index}, ${JSON.stringify(command)}:`,
    );
  }
  tally.runs += model.runs.length;
  tally.attempts += model.runs.flatMap((run) => run.tasks.flatMap((task) => task.attempts)).length;
  tally.repairs += model.runs.reduce((sum, run) => sum + run.repairs, 0);
  tally.notices += model.runs.flatMap((run) => run.told).length;
  tally.engines += engine.killed();
}

/** @throws Error that says which lines only the one and only the other has */
function compare(engine: readonly string[], model: readonly string[], when: string): void {
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

/** Moves the time on both sides, from one thing that is due to the next. */
async function wait(model: World, engine: EngineSide, milliseconds: number): Promise<void> {
  const until = model.now + milliseconds;
  for (let steps = 0; ; steps += 1) {
    if (steps > 1_000) throw new Error('Something is due again and again in one instant.');
    const next = Math.min(nextInstant(model) ?? Infinity, engine.nextInstant() ?? Infinity);
    const instant = Math.max(model.now, Math.min(until, next));
    moveTo(model, instant);
    await engine.moveTo(instant);
    if (next > until) return;
  }
}

const outcomes: Readonly<Record<Ending, TaskOutcome>> = {
  succeeded: { kind: 'succeeded' },
  failed: { kind: 'failed', message: 'Broken' },
  lost: { kind: 'lost', message: 'Gone' },
  stopped: { kind: 'stopped' },
};

async function perform(model: World, engine: EngineSide, command: Command, index: number): Promise<void> {
  switch (command.kind) {
    case 'run':
    case 'submit':
    case 'cancel':
    case 'repair':
    case 'cancel all':
      return ask(model, engine, command, index);
    case 'end':
      return endOne(model, engine, command.pick, command.ending);
    case 'wait':
      return wait(model, engine, command.milliseconds);
    case 'wait for it':
      return wait(model, engine, Math.max(0, (nextInstant(model) ?? model.now) - model.now));
    case 'limit':
    case 'timeouts':
      return changeJob(model, engine, command);
    case 'kill':
      return engine.kill();
    default:
      return command satisfies never;
  }
}

type Asked = Extract<Command, { kind: 'run' | 'submit' | 'cancel' | 'repair' | 'cancel all' }>;

/** What comes through a door. */
async function ask(model: World, engine: EngineSide, command: Asked, index: number): Promise<void> {
  switch (command.kind) {
    case 'run': {
      const { job: jobIndex, token, queue } = command;
      const job = model.jobs[jobIndex];
      if (job === undefined) return;
      const launched = launchRun(model, { job, token, queue });
      settle(model);
      const answer = await engine.run(
        jobIndex,
        token === undefined ? `once-${index}` : `often-${token}`,
        queue,
      );
      expect(answer).toBe(launched === 'refused' ? 'refused' : 'started');
      return;
    }
    case 'submit': {
      const launched = submitRun(model, command.plan);
      settle(model);
      expect(await engine.submit(command.plan, `once-${index}`)).toBe(
        launched === 'refused' ? 'refused' : 'started',
      );
      return;
    }
    case 'cancel': {
      const run = pickFrom(model.runs, command.pick);
      if (run === undefined) return;
      stopRun(run, 'cancel');
      settle(model);
      return engine.cancel(run.job.label, run.number);
    }
    case 'repair': {
      const run = pickFrom(model.runs, command.pick);
      if (run === undefined) return;
      const repaired = repairRun(model, run);
      settle(model);
      expect(await engine.repair(run.job.label, run.number)).toBe(
        repaired === 'refused' ? 'refused' : 'started',
      );
      return;
    }
    case 'cancel all': {
      const job = model.jobs[command.job];
      for (const run of model.runs.filter((one) => one.job === job)) stopRun(run, 'cancel');
      settle(model);
      return engine.cancelAll(command.job);
    }
    default:
      return command satisfies never;
  }
}

async function changeJob(
  model: World,
  engine: EngineSide,
  command: Extract<Command, { kind: 'limit' | 'timeouts' }>,
): Promise<void> {
  const job = model.jobs[command.job];
  if (job === undefined) return;
  const plan =
    command.kind === 'limit'
      ? { ...job.plan, maxConcurrent: command.most }
      : withTimeouts(job.plan, command.run, command.task);
  changePlan(model, job, plan);
  settle(model);
  return engine.change(command.job, plan);
}

/** Ends one of the attempts that have a process. */
async function endOne(model: World, engine: EngineSide, pick: number, wanted: Ending): Promise<void> {
  const executing = model.runs
    .filter((run) => !isOver(run))
    .flatMap((run) => run.tasks.map((task): [ModelRun, ModelTask] => [run, task]))
    .filter(([, task]) => latest(task).state === 'RUNNING' && task.plan.child === undefined);
  const picked = pickFrom(executing, pick);
  if (picked === undefined) return;
  const [run, task] = picked;
  // Nobody is stopped who was not asked to.
  const ending = wanted === 'stopped' && latest(task).stop === undefined ? 'succeeded' : wanted;
  const label = `${labelOf(run)}/${task.plan.key}:${latest(task).number}`;
  endAttempt(model, run, task, ending);
  settle(model);
  return engine.end(label, outcomes[ending]);
}

function pickFrom<Item>(items: readonly Item[], pick: number): Item | undefined {
  return items.length === 0 ? undefined : items[pick % items.length];
}
