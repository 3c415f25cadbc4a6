/** Writing the steps of a run: the rows, the notices they cause, and then the memory of it. */
import { retryRun } from '../launch.ts';
import { noticesOfEnd, noticesOfStart, type NoticeSubject } from '../notification/routing.ts';
import type { Notice } from '../run/notification.ts';
import type { ChangeSet } from '../ports/runs.ts';
import { stepOf, type Step, type StepEvent, type StepFacts } from '../run/change.ts';
import { decideRetry, retriedTask, type Retry } from '../run/retry.ts';
import type { TaskRun } from '../run/run.ts';
import { isTerminal } from '../run/states.ts';
import { isSingle, takeUpRetry, type ActiveRun, type ActiveTask } from './active-run.ts';
import type { Coordination } from './coordination.ts';
import { lateWarning } from './warn.ts';

/**
 * The run was taken over by another node, or this node is closing: whoever drives it lets go, and nothing is
 * wrong.
 */
export class LetGo extends Error {}

/**
 * Moves a task; a single-task run moves with its task, and a multi-task run begins with its first one. The
 * end of an attempt that is retried goes together with what follows it: the next attempt of the task, or a
 * new run.
 */
export async function moveTask(
  c: Coordination,
  active: ActiveRun,
  task: ActiveTask,
  event: StepEvent,
  facts: StepFacts = {},
): Promise<void> {
  await Promise.all(active.warnings);
  const step = stepOf({ kind: 'task', ...task.taskRun }, event, c.clock.now(), facts);
  // From here on the end itself tells whether it lasted too long: a warning beside it would tell it twice.
  if (isTerminal(step.progress.state)) (isSingle(active) ? active : task).disarmWarning?.();
  const retry = retryAfter(c, active, task, step);
  if (isSingle(active)) return moveSingle(c, active, task, event, { step, facts, retry });
  const beginsRun = event === 'begin' && !active.begun;
  if (beginsRun) active.begun = true;
  const runStep = beginsRun
    ? stepOf({ kind: 'run', ...active.run }, event, step.change.at, { message: '' })
    : undefined;
  const told = [
    ...(runStep === undefined ? [] : [tellOf(active, undefined, event, runStep)]),
    tellOf(active, task, event, step, retry !== undefined),
  ];
  const next = retry && retriedTask(task.taskRun, retry, await nextId(c));
  try {
    await write(c, active, { ...setOf(told), ...(next && { attempts: [next] }) });
  } catch (error) {
    if (beginsRun) active.begun = false;
    throw error;
  }
  after(task, step, facts);
  if (next !== undefined) takeUpRetry(task, next);
  if (runStep !== undefined) active.run = { ...active.run, progress: runStep.progress };
  // The task that was to begin the run could not be written: looked at again, the run begins late.
  if (event === 'begin' && !active.begun) c.advance(active);
}

/** Moves a multi-task run itself. */
export async function moveRun(
  c: Coordination,
  active: ActiveRun,
  event: StepEvent,
  facts: StepFacts = {},
): Promise<void> {
  await Promise.all(active.warnings);
  const step = stepOf({ kind: 'run', ...active.run }, event, c.clock.now(), facts);
  if (isTerminal(step.progress.state)) active.disarmWarning?.();
  await write(c, active, setOf([tellOf(active, undefined, event, step)]));
  active.run = { ...active.run, progress: step.progress };
}

interface Move {
  readonly step: Step;
  readonly facts: StepFacts;
  readonly retry: Retry | undefined;
}

/** A single-task run and its task: the same step for both. */
async function moveSingle(
  c: Coordination,
  active: ActiveRun,
  task: ActiveTask,
  event: StepEvent,
  { step, facts, retry }: Move,
): Promise<void> {
  const { clusterId: _cluster, sparkContextId: _context, ...runFacts } = facts;
  const runStep = stepOf({ kind: 'run', ...active.run }, event, step.change.at, runFacts);
  const changeSet = (retried: boolean): ChangeSet => {
    const run = tellOf(active, undefined, event, runStep, retried);
    return { changes: [run.change, step.change], notices: run.notices };
  };
  if (retry === undefined) {
    await write(c, active, changeSet(false));
  } else {
    if (c.closing()) throw new LetGo();
    const { runId, jobId } = active.run;
    settle(c, active, await retryRun(c.launching, { runId, jobId, retry, end: changeSet }));
  }
  after(task, step, facts);
  active.run = { ...active.run, progress: runStep.progress };
}

/**
 * The retry that follows this step; undefined when the step is no end, or the last one. A stopped run is not
 * retried.
 */
function retryAfter(
  c: Coordination,
  active: ActiveRun,
  { settings, taskRun, retries }: ActiveTask,
  { progress }: Step,
): Retry | undefined {
  if (!isTerminal(progress.state) || active.run.stopReason !== undefined) return undefined;
  const single = isSingle(active);
  const now = c.clock.now();
  // The settings of a single-task run are those of its task.
  return decideRetry(
    single ? active.run.settings : settings,
    {
      progress,
      runId: taskRun.runId,
      startTime: progress.startTime ?? now,
      retries: single ? active.run.attempt : retries,
    },
    now,
  );
}

async function nextId(c: Coordination): Promise<number> {
  const [id = 0] = await c.runs.takeRunIds(1);
  return id;
}

/** What memory knows of the task after a step was written. */
function after(task: ActiveTask, step: Step, { clusterId, sparkContextId }: StepFacts): void {
  const former: TaskRun = task.taskRun;
  task.taskRun = {
    ...former,
    progress: step.progress,
    clusterId: clusterId ?? former.clusterId,
    sparkContextId: sparkContextId ?? former.sparkContextId,
    warned: former.warned || step.change.warned === true,
  };
}

interface Told {
  readonly change: Step['change'];
  readonly notices: readonly Notice[];
}

function setOf(told: readonly Told[]): ChangeSet {
  return { changes: told.map(({ change }) => change), notices: told.flatMap(({ notices }) => notices) };
}

async function write(c: Coordination, active: ActiveRun, changeSet: ChangeSet): Promise<void> {
  if (c.closing()) throw new LetGo();
  settle(c, active, await c.runs.write(changeSet));
}

function settle(c: Coordination, active: ActiveRun, answer: 'written' | 'refused'): void {
  if (answer === 'written') return;
  c.log.warn(
    { run_id: active.run.runId, fence: active.run.fence },
    'A write about this run was refused: another engine has adopted it. This one lets go of it.',
  );
  throw new LetGo();
}

/** A step with what people are told of it. `isRetried`: another attempt follows. */
function tellOf(
  active: ActiveRun,
  task: ActiveTask | undefined,
  event: StepEvent,
  { change, progress }: Step,
  isRetried = false,
): Told {
  const { jobId, runId, repair, attempt } = active.run;
  const subject: NoticeSubject = {
    jobId,
    runId: task?.taskRun.runId ?? runId,
    now: change.at,
    ...(task && { taskKey: task.settings.task_key }),
    isRetry: (task === undefined ? attempt : task.retries) > 0,
    isRetried,
  };
  const holder = task?.settings ?? active.run.settings;
  // A repaired run has said before that it began.
  if (event === 'begin')
    return {
      change,
      notices: task === undefined && repair !== undefined ? [] : noticesOfStart(holder, subject),
    };
  if (!isTerminal(progress.state)) return { change, notices: [] };
  const late = lateWarning(active, task, progress.endTime ?? change.at, subject);
  return late === undefined
    ? { change, notices: noticesOfEnd(holder, progress, subject) }
    : { change: { ...change, warned: true }, notices: [...late, ...noticesOfEnd(holder, progress, subject)] };
}
