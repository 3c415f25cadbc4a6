/**
 * Timeouts of a job as they reach its active runs: the one setting that is not only for future runs (spec 4.1
 * rules 2 and 3).
 */
import { mainTaskKey } from './job-format.ts';
import type { JobSettings } from './settings.ts';

/**
 * The settings of an active run with the timeouts of its job's new settings, and nothing else of them. A
 * multi-task run takes the job's timeout, and that of each task by its key; a task that the job no longer has
 * keeps its own. A single-task run, whose timeout is that of its task, takes the shorter of the two where its
 * job has become multi-task.
 * @returns undefined when no timeout differs
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
  // 0 is no timeout, and neither is an absent one.
  const limits = [ofJob ?? 0, ofTask ?? 0].filter((seconds) => seconds > 0);
  return limits.length === 0 ? ofJob : Math.min(...limits);
}

/** A copy with another timeout; undefined when it means the same. */
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
