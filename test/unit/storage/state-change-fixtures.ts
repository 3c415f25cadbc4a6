/** Change sets for tests of the state writer. */
import type { Kysely } from 'kysely';
import type { ChangeSet } from '../../../engine/ports/runs.ts';
import type { RunNotification } from '../../../engine/run/notification.ts';
import type { RunWithTasks, TaskRun } from '../../../engine/run/run.ts';
import { stepOf, type StepEvent, type StepFacts, type StepSubject } from '../../../engine/run/step.ts';
import type { Database } from '../../../storage/postgres/schema.ts';

/** Time of a step, later than the start of every run. */
export const stepTime = 2_000_000_000_000;

/** Returns the only task of a run. */
export function taskOf({ tasks }: RunWithTasks): TaskRun {
  const [task] = tasks;
  if (task === undefined || tasks.length > 1) throw new Error(`The run has ${tasks.length} tasks, not one.`);
  return task;
}

export const taskSubject = (task: TaskRun): StepSubject => ({ kind: 'task', ...task });
export const runSubject = ({ run }: RunWithTasks): StepSubject => ({ kind: 'run', ...run });

export function createNotification(
  runId: number,
  event: RunNotification['event'] = 'on_start',
): RunNotification {
  return { event, channel: 'email', recipient: 'a@x', jobId: 1, runId, taskKey: undefined, createdTime: 5 };
}

/** Lists the events of the notifications of a run in the outbox, oldest first. */
export async function listNotifiedEvents(db: Kysely<Database>, runId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('outbox')
    .select('event')
    .where('run_id', '=', runId)
    .orderBy('outbox_event_id')
    .execute();
  return rows.map(({ event }) => event);
}

/** Creates the change set of one step that the run and the task of a single-task run make together. */
export function stepTogether(
  stored: RunWithTasks,
  event: StepEvent,
  facts: StepFacts = {},
  now = stepTime,
): { set: ChangeSet; next: RunWithTasks } {
  const task = taskOf(stored);
  const [runStep, taskStep] = [
    stepOf(runSubject(stored), event, now, facts),
    stepOf(taskSubject(task), event, now, facts),
  ];
  return {
    set: { changes: [runStep.change, taskStep.change], notifications: [] },
    next: {
      run: { ...stored.run, progress: runStep.progress },
      tasks: [{ ...task, progress: taskStep.progress }],
    },
  };
}
