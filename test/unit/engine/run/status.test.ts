/** The newer status of a run: every end has a code and a type that clients know. */
import { expect, test } from 'vitest';
import { decideAdmission } from '../../../../engine/run/admission.ts';
import { stopMessage } from '../../../../engine/run/roll-up.ts';
import type { Progress } from '../../../../engine/run/run.ts';
import { statusOf } from '../../../../engine/run/status.ts';
import { progressAt } from './standings.ts';

const said = (progress: Progress, message: string): Progress => ({ ...progress, message });
const overLimit = decideAdmission({ activeRuns: 1, queuedRuns: 0, maxConcurrentRuns: 1, mayQueue: false });
const queued: Progress = {
  state: 'QUEUED',
  startTime: 1,
  runningTime: undefined,
  terminatingTime: undefined,
  message: '',
};

test.each<[string, Progress, string, string, string]>([
  ['a success', progressAt.success, 'TERMINATED', 'SUCCESS', 'SUCCESS'],
  ['a success that is being cleaned up', progressAt.cleaning, 'TERMINATING', 'SUCCESS', 'SUCCESS'],
  ['a failure', progressAt.failed, 'TERMINATED', 'RUN_EXECUTION_ERROR', 'CLIENT_ERROR'],
  [
    'a notebook that is not there',
    said(progressAt.failed, 'Notebook /a was not found (looked for /a.py).'),
    'TERMINATED',
    'RESOURCE_NOT_FOUND',
    'CLIENT_ERROR',
  ],
  [
    'a file that is not there',
    said(progressAt.failed, 'File managed_fs:/a.py was not found.'),
    'TERMINATED',
    'RESOURCE_NOT_FOUND',
    'CLIENT_ERROR',
  ],
  [
    'a task that failed because a file was not there',
    said(progressAt.failed, 'Task a failed with message: File x was not found.'),
    'TERMINATED',
    'RUN_EXECUTION_ERROR',
    'CLIENT_ERROR',
  ],
  [
    'a library',
    said(progressAt.failed, 'Library installation failed for library due to user error.'),
    'TERMINATED',
    'LIBRARY_INSTALLATION_ERROR',
    'CLIENT_ERROR',
  ],
  ['a cancel', progressAt.canceled, 'TERMINATED', 'USER_CANCELED', 'CLIENT_ERROR'],
  ['a timeout', progressAt.timedout, 'TERMINATED', 'CANCELED', 'CLIENT_ERROR'],
  [
    'a run over max_concurrent_runs',
    said(progressAt.skipped, overLimit.kind === 'skip' ? overLimit.message : ''),
    'TERMINATED',
    'MAX_CONCURRENT_RUNS_EXCEEDED',
    'CLIENT_ERROR',
  ],
  [
    'a task after one that failed',
    said(progressAt.skipped, 'Upstream task a failed'),
    'TERMINATED',
    'SKIPPED',
    'CLIENT_ERROR',
  ],
  [
    'a task whose condition was not met',
    said(progressAt.skipped, 'Not run: its condition ALL_FAILED on the tasks a was not met.'),
    'TERMINATED',
    'SKIPPED',
    'SUCCESS',
  ],
  [
    'a task that a cancel came before',
    said(progressAt.skipped, stopMessage.cancel),
    'TERMINATED',
    'USER_CANCELED',
    'CLIENT_ERROR',
  ],
  [
    'a task that a timeout came before',
    said(progressAt.skipped, stopMessage.timeout),
    'TERMINATED',
    'CANCELED',
    'CLIENT_ERROR',
  ],
  ['a failure of the service', progressAt.error, 'TERMINATED', 'INTERNAL_ERROR', 'INTERNAL_ERROR'],
])('%s', (_, progress, state, code, type) => {
  expect(statusOf(progress)).toEqual({
    state,
    termination_details: { code, type, message: progress.message },
  });
});

test.each<[string, Progress]>([
  ['PENDING', progressAt.waiting],
  ['RUNNING', progressAt.running],
])('%s has nothing more to say', (state, progress) => {
  expect(statusOf(progress)).toEqual({ state });
});

test.each([
  ['', 'MAX_CONCURRENT_RUNS_REACHED'],
  ['There are already 1000 active runs (limit: 1000).', 'ACTIVE_RUNS_LIMIT_REACHED'],
])('QUEUED with the message "%s" waits for %s', (message, code) => {
  expect(statusOf({ ...queued, message })).toEqual({ state: 'QUEUED', queue_details: { code, message } });
});
