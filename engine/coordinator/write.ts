/** Writing the steps of a run: the rows, the notices they cause, and then the memory of it. */
import { noticesOfEnd, noticesOfStart } from '../notification/routing.ts';
import type { Notice } from '../notification/notice.ts';
import { stepOf, type Step, type StepEvent, type StepFacts } from '../run/change.ts';
import { isTerminal } from '../run/states.ts';
import { isSingle, type ActiveRun, type ActiveTask } from './active-run.ts';
import type { Coordination } from './coordination.ts';

/** The run was taken over by another node, or this node is closing: whoever drives it lets go, and nothing is wrong. */
export class LetGo extends Error {}

/** Moves a task; a single-task run moves with its task, and a multi-task run begins with its first one. */
export async function moveTask(c: Coordination, active: ActiveRun, task: ActiveTask, event: StepEvent, facts: StepFacts = {}): Promise<void> {
  const now = c.clock.now();
  const step = stepOf({ kind: 'task', ...task.taskRun }, event, now, facts);
  const { clusterId: _cluster, sparkContextId: _context, ...runFacts } = facts;
  const beginsRun = !isSingle(active) && event === 'begin' && !active.begun;
  if (beginsRun) active.begun = true;
  const runStep = isSingle(active) || beginsRun
    ? stepOf({ kind: 'run', ...active.run }, event, now, runFacts)
    : undefined;
  const notices = [
    ...(runStep === undefined ? [] : noticesOf(active, undefined, event, runStep)),
    ...(isSingle(active) ? [] : noticesOf(active, task, event, step)),
  ];
  try {
    await write(c, active, runStep === undefined ? [step] : [runStep, step], notices);
  } catch (error) {
    if (beginsRun) active.begun = false;
    throw error;
  }
  task.taskRun = {
    ...task.taskRun, progress: step.progress,
    clusterId: facts.clusterId ?? task.taskRun.clusterId,
    sparkContextId: facts.sparkContextId ?? task.taskRun.sparkContextId,
  };
  if (runStep !== undefined) active.run = { ...active.run, progress: runStep.progress };
  // The task that was to begin the run could not be written: looked at again, the run begins late.
  if (event === 'begin' && !isSingle(active) && !active.begun) c.advance(active);
}

/** Moves a multi-task run itself. */
export async function moveRun(c: Coordination, active: ActiveRun, event: StepEvent, facts: StepFacts = {}): Promise<void> {
  const step = stepOf({ kind: 'run', ...active.run }, event, c.clock.now(), facts);
  await write(c, active, [step], noticesOf(active, undefined, event, step));
  active.run = { ...active.run, progress: step.progress };
}

async function write(c: Coordination, active: ActiveRun, steps: readonly Step[], notices: readonly Notice[]): Promise<void> {
  if (c.closing()) throw new LetGo();
  const answer = await c.runs.write({ changes: steps.map((step) => step.change), notices });
  if (answer === 'written') return;
  c.log.warn({ run_id: active.run.runId, fence: active.run.fence },
    'A write about this run was refused: another engine has adopted it. This one lets go of it.');
  throw new LetGo();
}

function noticesOf(active: ActiveRun, task: ActiveTask | undefined, event: StepEvent, step: Step): Notice[] {
  const { jobId, runId } = active.run;
  const subject = { jobId, runId: task?.taskRun.runId ?? runId, now: step.change.at, ...(task && { taskKey: task.settings.task_key }) };
  const holder = task?.settings ?? active.run.settings;
  // A repaired run has said before that it began.
  if (event === 'begin') return task === undefined && active.run.repair !== undefined ? [] : noticesOfStart(holder, subject);
  return isTerminal(step.progress.state) ? noticesOfEnd(holder, step.progress, subject) : [];
}
