/** Status of a run: code and type of every end. */
import { expect, test } from 'vitest';
import { decideAdmission } from '../../../../engine/run/admission.ts';
import type { Progress } from '../../../../engine/run/run.ts';
import { statusOf } from '../../../../engine/run/run-status.ts';
import { progressByPhase } from './task-states.ts';

const withMessage = (progress: Progress, message: string): Progress => ({ ...progress, message });
const overLimit = decideAdmission({ activeRuns: 1, queuedRuns: 0, maxConcurrentRuns: 1, mayQueue: false });
const queued: Progress = {
  state: 'QUEUED',
  startTime: 1,
  runningTime: undefined,
  terminatingTime: undefined,
  message: '',
};

test.each<[string, Progress, string, string, string]>([
  ['a success', progressByPhase.success, 'TERMINATED', 'SUCCESS', 'SUCCESS'],
  ['a success during cleanup', progressByPhase.cleaning, 'TERMINATING', 'SUCCESS', 'SUCCESS'],
  ['a failure', progressByPhase.failed, 'TERMINATED', 'RUN_EXECUTION_ERROR', 'CLIENT_ERROR'],
  [
    'a missing notebook',
    withMessage(progressByPhase.failed, 'Notebook /a was not found (looked for /a.py).'),
    'TERMINATED',
    'RESOURCE_NOT_FOUND',
    'CLIENT_ERROR',
  ],
  [
    'a missing file',
    withMessage(progressByPhase.failed, 'File managed_fs:/a.py was not found.'),
    'TERMINATED',
    'RESOURCE_NOT_FOUND',
    'CLIENT_ERROR',
  ],
  [
    'a task that failed because of a missing file',
    withMessage(progressByPhase.failed, 'Task a failed with message: File x was not found.'),
    'TERMINATED',
    'RUN_EXECUTION_ERROR',
    'CLIENT_ERROR',
  ],
  [
    'a failed library installation',
    withMessage(progressByPhase.failed, 'Library installation failed for library due to user error.'),
    'TERMINATED',
    'LIBRARY_INSTALLATION_ERROR',
    'CLIENT_ERROR',
  ],
  ['a cancel', progressByPhase.canceled, 'TERMINATED', 'USER_CANCELED', 'CLIENT_ERROR'],
  ['a timeout', progressByPhase.timedout, 'TERMINATED', 'CANCELED', 'CLIENT_ERROR'],
  [
    'a run over max_concurrent_runs',
    withMessage(progressByPhase.skipped, overLimit.kind === 'skip' ? overLimit.message : ''),
    'TERMINATED',
    'MAX_CONCURRENT_RUNS_EXCEEDED',
    'CLIENT_ERROR',
  ],
  [
    'a task after one that failed',
    withMessage(progressByPhase.skipped, 'Upstream task a failed'),
    'TERMINATED',
    'SKIPPED',
    'CLIENT_ERROR',
  ],
  [
    'a task whose condition was not met',
    withMessage(progressByPhase.skipped, 'Not run: its condition ALL_FAILED on the tasks a was not met.'),
    'TERMINATED',
    'SKIPPED',
    'SUCCESS',
  ],
  [
    'a task that had not started before a cancel',
    withMessage(progressByPhase.skipped, 'Run cancelled by user'),
    'TERMINATED',
    'USER_CANCELED',
    'CLIENT_ERROR',
  ],
  [
    'a task that had not started before a timeout',
    withMessage(progressByPhase.skipped, 'Run timed out'),
    'TERMINATED',
    'CANCELED',
    'CLIENT_ERROR',
  ],
  [
    'a run that its parent cancelled',
    withMessage(progressByPhase.canceled, 'Run cancelled by its parent: task load of run 7 was cancelled'),
    'TERMINATED',
    'CANCELED',
    'CLIENT_ERROR',
  ],
  ['a failure of the service', progressByPhase.error, 'TERMINATED', 'INTERNAL_ERROR', 'INTERNAL_ERROR'],
])('%s has a code and a type', (_, progress, state, code, type) => {
  expect(statusOf(progress)).toEqual({
    state,
    termination_details: { code, type, message: progress.message },
  });
});

test.each<[string, Progress]>([
  ['PENDING', progressByPhase.waiting],
  ['RUNNING', progressByPhase.running],
])('%s has neither termination nor queue details', (state, progress) => {
  expect(statusOf(progress)).toEqual({ state });
});

test.each([
  ['', 'MAX_CONCURRENT_RUNS_REACHED'],
  ['There are already 1000 active runs (limit: 1000).', 'ACTIVE_RUNS_LIMIT_REACHED'],
])('QUEUED with the message "%s" waits for %s', (message, code) => {
  expect(statusOf({ ...queued, message })).toEqual({ state: 'QUEUED', queue_details: { code, message } });
});
