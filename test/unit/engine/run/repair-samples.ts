/** Runs, tasks and selections for the tests of repairs. */
import type { JobSettings } from '../../../../engine/job/settings.ts';
import type { RepairSelection } from '../../../../engine/run/repair.ts';
import type { RunCondition } from '../../../../engine/run/roll-up.ts';
import type { Run, RunWithTasks, TaskRun } from '../../../../engine/run/run.ts';
import { progressByPhase, type TaskPhase } from './task-states.ts';

/** Task: key, phases at the ends of its attempts, dependencies, condition. */
export type Line = readonly [
  key: string,
  ends: readonly TaskPhase[],
  dependsOn?: readonly string[],
  runIf?: RunCondition,
];

function settingsOf(lines: readonly Line[]): JobSettings {
  return {
    tasks: lines.map(([task_key, , dependsOn = [], run_if = 'ALL_SUCCESS']) => ({
      task_key,
      run_if,
      depends_on: dependsOn.map((key) => ({ task_key: key })),
    })),
  };
}

export function runOf(more: Partial<Run> = {}): Run {
  return {
    runId: 100,
    jobId: 1,
    numberInJob: 1,
    format: 'MULTI_TASK',
    version: '2.1',
    name: 'r',
    type: 'JOB_RUN',
    trigger: 'ONE_TIME',
    creatorUserName: 'ann',
    settings: {},
    overridingParameters: undefined,
    originalAttemptRunId: 100,
    attempt: 0,
    stopReason: undefined,
    owner: 'node-1',
    fence: 3,
    repair: undefined,
    admittedTime: undefined,
    launchedBy: undefined,
    timeoutRevision: 0,
    warned: false,
    progress: {
      state: 'TERMINATED',
      result: 'FAILED',
      message: 'Task a failed.',
      startTime: 1_000,
      runningTime: 1_100,
      terminatingTime: 4_000,
      endTime: 5_000,
    },
    ...more,
  };
}

export function createFound(lines: readonly Line[], run: Partial<Run> = {}): RunWithTasks {
  let id = 100;
  const tasks = lines.flatMap(([taskKey, ends]) =>
    ends.map((end, attempt): TaskRun => ({
      runId: (id += 1),
      jobRunId: 100,
      taskKey,
      attempt,
      fence: 3,
      clusterId: 'c',
      sparkContextId: '1',
      dueTime: undefined,
      stopReason: undefined,
      warned: false,
      progress: progressByPhase[end],
    })),
  );
  return { run: runOf({ settings: settingsOf(lines), ...run }), tasks };
}

export const all: RepairSelection = {
  taskKeys: [],
  allFailed: true,
  includeDependents: false,
  latestRepairId: 0,
};
export const named = (...tasks: string[]): RepairSelection => ({ ...all, taskKeys: tasks, allFailed: false });
export const withDependents = (choice: RepairSelection): RepairSelection => ({
  ...choice,
  includeDependents: true,
});
