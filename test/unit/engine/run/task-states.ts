/** Task states for the tests of runs: key, dependencies and phase. */
import type { Progress } from '../../../../engine/run/run.ts';
import type { RunCondition, TaskState } from '../../../../engine/run/roll-up.ts';

/** Phase of a task, in one word. */
export type TaskPhase =
  | 'waiting'
  | 'started'
  | 'running'
  | 'cleaning'
  | 'success'
  | 'failed'
  | 'timedout'
  | 'canceled'
  | 'skipped'
  | 'error';

const none = { startTime: undefined, runningTime: undefined, terminatingTime: undefined };
const stamps = { startTime: 1, runningTime: 2, terminatingTime: 3 };

export const progressByPhase: Readonly<Record<TaskPhase, Progress>> = {
  waiting: { ...none, state: 'PENDING', message: '' },
  started: { ...none, state: 'PENDING', message: '' },
  running: { ...stamps, terminatingTime: undefined, state: 'RUNNING', message: '' },
  cleaning: { ...stamps, state: 'TERMINATING', result: 'SUCCESS', message: '' },
  success: { ...stamps, state: 'TERMINATED', result: 'SUCCESS', message: '', endTime: 4 },
  failed: {
    ...stamps,
    state: 'TERMINATED',
    result: 'FAILED',
    message: 'Workload failed, see run output for details',
    endTime: 4,
  },
  timedout: { ...stamps, state: 'TERMINATED', result: 'TIMEDOUT', message: 'Run timed out', endTime: 4 },
  canceled: {
    ...stamps,
    state: 'TERMINATED',
    result: 'CANCELED',
    message: 'Run cancelled by user',
    endTime: 4,
  },
  skipped: { ...none, state: 'SKIPPED', message: 'skipped', endTime: 4 },
  error: {
    ...stamps,
    state: 'INTERNAL_ERROR',
    result: 'FAILED',
    message: 'Its process vanished',
    endTime: 4,
  },
};

/** Returns a task state: `createTaskState('c', 'waiting', 'a b', 'ALL_DONE')` waits for a and b. */
export function createTaskState(
  key: string,
  phase: TaskPhase,
  dependsOn = '',
  runIf: RunCondition = 'ALL_SUCCESS',
): TaskState {
  return {
    key,
    runIf,
    progress: progressByPhase[phase],
    dependsOn: dependsOn === '' ? [] : dependsOn.split(' '),
    started: phase !== 'waiting' && phase !== 'skipped',
  };
}
