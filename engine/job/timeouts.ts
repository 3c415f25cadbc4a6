/** Timeout updates of active runs. Timeouts are the only settings that affect active runs (spec 4.1). */
import { mainTaskKey } from './job-format.ts';
import type { JobSettings } from './settings.ts';

/**
 * Returns the settings of an active run with the timeouts of the changed settings of its job; undefined when
 * no timeout differs. A multi-task run takes the timeout of the job, and that of each task by key; a task
 * that was removed from the job keeps its timeout. A single-task run takes the shorter of the job timeout and
 * the task timeout when its job has become multi-task.
 */
export function applyTimeoutUpdate(running: JobSettings, changed: JobSettings): JobSettings | undefined {
  if (running.tasks === undefined) return withTimeout(running, singleTimeout(changed));
  const tasks = running.tasks.map((task) => {
    const now = changed.tasks?.find((one) => one.task_key === task.task_key);
    return (now && withTimeout(task, now.timeout_seconds)) ?? task;
  });
  const job = withTimeout(running, changed.timeout_seconds);
  const same = tasks.every((task, index) => task === running.tasks?.[index]);
  return job === undefined && same ? undefined : { ...(job ?? running), tasks };
}

function singleTimeout({ timeout_seconds: ofJob, tasks = [] }: JobSettings): number | undefined {
  const ofTask = tasks.find((task) => task.task_key === mainTaskKey)?.timeout_seconds;
  // 0 and undefined mean no timeout.
  const limits = [ofJob ?? 0, ofTask ?? 0].filter((seconds) => seconds > 0);
  return limits.length === 0 ? ofJob : Math.min(...limits);
}

/** Returns a copy with another timeout; undefined when the timeouts are equivalent. */
function withTimeout<Holder extends { timeout_seconds?: number }>(
  holder: Holder,
  seconds: number | undefined,
): Holder | undefined {
  if ((holder.timeout_seconds ?? 0) === (seconds ?? 0)) return undefined;
  const copy = { ...holder };
  if (seconds === undefined) delete copy.timeout_seconds;
  else copy.timeout_seconds = seconds;
  return copy;
}
