/** Tells whoever wants to know that a run or a task lasts longer than its health rule allows; once, whatever engines drive it. */
import { messageOf } from '../errors.ts';
import { noticesOfSlowness, type NoticeHolder, type NoticeSubject } from '../notification/routing.ts';
import type { Progress } from '../run/run.ts';
import { roundStartOf } from '../run/rounds.ts';
import { slowAt } from '../run/slowness.ts';
import { isTerminal } from '../run/states.ts';
import { atTime, isSingle, type ActiveRun, type ActiveTask } from './active-run.ts';
import type { Coordination } from './coordination.ts';

/** What is armed, by run or task: whatever is armed anew takes the place of what was. */
const armed = new WeakMap<object, () => void>();

/** Arms the warning of a run, counted from its start; for a repaired run from that of the repair. */
export function armRunWarning(c: Coordination, active: ActiveRun): void {
  const { jobId, runId, settings } = active.run;
  arm(c, active, active, slowAt(roundStartOf(active.run), settings.health), () =>
    ({ holder: active.run.settings, progress: active.run.progress, subject: { jobId, runId } }));
}

/** Arms the warning of a task, counted from its start. That of a single-task run is its run's. */
export function armTaskWarning(c: Coordination, active: ActiveRun, task: ActiveTask): void {
  if (isSingle(active)) return;
  arm(c, active, task, slowAt(task.taskRun.progress.startTime, task.settings.health), () => ({
    holder: task.settings, progress: task.taskRun.progress,
    subject: { jobId: active.run.jobId, runId: task.taskRun.runId, taskKey: task.settings.task_key },
  }));
}

interface Slow {
  readonly holder: NoticeHolder;
  readonly progress: Progress;
  readonly subject: Omit<NoticeSubject, 'now'>;
}

function arm(c: Coordination, active: ActiveRun, key: object, at: number | undefined, look: () => Slow): void {
  armed.get(key)?.();
  armed.delete(key);
  if (at !== undefined) armed.set(key, atTime(active, c.clock, at, () => { void tell(c, look()); }));
}

/** The database keeps one warning for each recipient of a run or task run. */
async function tell(c: Coordination, { holder, progress, subject }: Slow): Promise<void> {
  if (c.closing() || isTerminal(progress.state)) return;
  const notices = noticesOfSlowness(holder, progress, { ...subject, now: c.clock.now() });
  if (notices.length === 0) return;
  try {
    await c.runs.write({ changes: [], notices });
  } catch (error) {
    c.log.error({ run_id: subject.runId, error: messageOf(error) }, 'The warning that this run takes too long could not be stored.');
  }
}
