/** Looks at a run and does what follows: starts tasks, skips tasks, ends the run. */
import { rollUp } from '../run/roll-up.ts';
import { isOfLatestRound } from '../run/rounds.ts';
import { isTerminal } from '../run/states.ts';
import { isSingle, isWorking, standingsOf, type ActiveRun, type ActiveTask } from './active-run.ts';
import { releaseSharedClusters } from './compute.ts';
import { isHeldBack, type Coordination } from './coordination.ts';
import { driveTask } from './dispatch.ts';
import { stopTask } from './stop.ts';
import { moveRun, moveTask } from './write.ts';

/**
 * One decision about a run; called again whenever something has happened to it.
 * @returns true when the run is over
 */
export async function advanceRun(c: Coordination, active: ActiveRun): Promise<boolean> {
  resume(c, active);
  if (isSingle(active)) return isTerminal(active.run.progress.state);
  if (active.run.progress.state === 'TERMINATING') return cleanUp(c, active);
  await beginLate(c, active);
  for (;;) {
    // Looked at again when tasks were skipped: one of them may have been the last to use a cluster.
    await releaseSharedClusters(c, active, false);
    const { start, skip, end } = rollUp(standingsOf(active), active.run.stopReason);
    for (const key of start) startTask(c, active, active.tasks.get(key));
    if (end !== undefined) {
      await moveRun(c, active, 'finish', end);
      return cleanUp(c, active);
    }
    if (skip.length === 0) return false;
    await Promise.all(
      skip.map(async ({ key, message }) => {
        const task = active.tasks.get(key);
        if (task !== undefined) await moveTask(c, active, task, 'skip', { message });
      }),
    );
  }
}

/** Goes on with tasks that an earlier engine had started; a single-task run waits for nothing. */
function resume(c: Coordination, active: ActiveRun): void {
  for (const task of active.tasks.values()) {
    const { state, startTime } = task.taskRun.progress;
    const underWay = state === 'RUNNING' || state === 'TERMINATING' || startTime !== undefined;
    if (!isTerminal(state) && (underWay || isSingle(active))) startTask(c, active, task);
  }
}

/**
 * A kill may fall between the first begin of a task and that of its run, which stand in two writes: it begins
 * now.
 */
async function beginLate(c: Coordination, active: ActiveRun): Promise<void> {
  const hasBegun = [...active.tasks.values()].some(
    ({ taskRun }) => taskRun.progress.runningTime !== undefined && isOfLatestRound(active.run, taskRun),
  );
  if (active.begun || !hasBegun) return;
  active.begun = true;
  await moveRun(c, active, 'begin', { message: '' });
}

function startTask(c: Coordination, active: ActiveRun, task: ActiveTask | undefined): void {
  if (task === undefined || task.started) return;
  if (isHeldBack(c, active) && !isWorking(task)) return;
  task.started = true;
  if (active.run.stopReason !== undefined) stopTask(task, active.run.stopReason);
  task.driven = driveTask(c, active, task);
}

async function cleanUp(c: Coordination, active: ActiveRun): Promise<boolean> {
  await releaseSharedClusters(c, active, true);
  await moveRun(c, active, 'clean');
  return true;
}
