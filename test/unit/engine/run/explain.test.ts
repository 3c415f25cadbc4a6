/** Explanations of failures by rules on their facts: cause code, cause and next step. */
import { describe, expect, test } from 'vitest';
import { explainConcurrency } from '../../../../engine/run/explain/explain-run.ts';
import { explainFailure } from '../../../../engine/run/explain/explain-failure.ts';
import type { Failure, FailureContext, OomKill } from '../../../../engine/run/explain/failure.ts';

const context: FailureContext = {
  taskKey: 'load',
  runId: 7,
  attempt: 0,
  isMultiTask: true,
  taskKind: 'spark_python_task',
  file: 'managed_fs:/load.py',
  clusterId: 'c',
  clusterPath: undefined,
  nodeTypeId: 'small',
  memoryMb: 8_192,
  largerNodeType: 'large',
  host: 'node-1',
  fullDisk: undefined,
};
const memory =
  'A process of this task may use 8 GB (node type small). Choose a larger node_type_id, for example large, or load less data at once.';

const explain = (failure: Failure, changes: Partial<FailureContext> = {}) => {
  const { explanation, message } = explainFailure(failure, { ...context, ...changes });
  return { code: explanation.cause_code, nextStep: explanation.next_step, cause: explanation.cause, message };
};

describe('SIGKILL', () => {
  const record = (scope: string): OomKill => ({
    kind: 'certain',
    record: `${scope}: Killed process 12 (python3) total-vm:1kB`,
  });
  test.each<[string, OomKill | undefined, string, string]>([
    [
      'of the kernel, by the limit of a control group',
      record('Memory cgroup out of memory'),
      'RESOURCE_LIMIT',
      `Runyard did not send the signal; the kernel's out-of-memory killer did, because the memory limit of its control group was reached. ${memory}`,
    ],
    [
      'of the kernel, without memory on the machine',
      record('Out of memory'),
      'RESOURCE_LIMIT',
      `Runyard did not send the signal; the kernel's out-of-memory killer did, because the machine had no memory left. ${memory}`,
    ],
    [
      'while the kernel ended processes, without its log',
      { kind: 'likely', kills: 1 },
      'RESOURCE_LIMIT',
      `Runyard did not send the signal; probably the kernel's out-of-memory killer did: check dmesg on node node-1. ${memory}`,
    ],
    [
      'of another sender',
      { kind: 'none' },
      'CLUSTER',
      "Runyard did not send the signal, and the kernel's out-of-memory killer did not either: a user or another program on node node-1 did. Find out what ends processes there, then repair the run.",
    ],
    [
      'of unknown origin',
      undefined,
      'CLUSTER',
      `Runyard did not send the signal. Often the kernel's out-of-memory killer does: check dmesg on node node-1. ${memory}`,
    ],
  ])('%s', (_, oomKill, code, nextStep) => {
    const failure: Failure = {
      kind: 'exit',
      program: 'Python program',
      code: 137,
      error: 'The Python program ended with exit code 137 (killed by signal 9, SIGKILL).',
      lastLines: [],
      oomKill,
    };
    expect(explain(failure)).toMatchObject({ code, nextStep });
  });
});

describe('a pipeline update', () => {
  test.each([
    [
      'Pipeline p has the active update u (run 3); one update of a pipeline runs at a time.',
      'CONCURRENCY',
      'Wait until the other update has ended, then repair the run.',
    ],
    [
      'The specified pipeline p was not found.',
      'CONFIGURATION',
      'Correct pipeline_task.pipeline_id, and repair the run.',
    ],
    [
      'The selection names tabel, which is not a table of this pipeline; did you mean table?',
      'CONFIGURATION',
      'Correct full_refresh_selection and refresh_selection of pipeline_task, and repair the run.',
    ],
    [
      '/p.sql, line 1, column 1: t is declared with the columns a, but was published with b; a full refresh uses the new columns.',
      'CONFIGURATION',
      'Set full_refresh in pipeline_task or in pipeline_params, and repair the run; a full refresh computes the tables anew from their input.',
    ],
    [
      'The storage managed_fs:/s contains the tables of another pipeline (p). Use another storage, or delete that directory.',
      'CONFIGURATION',
      'Use another storage, or delete that directory.',
    ],
    [
      'Flow t: no file exists yet for managed_fs:/x/*.csv, so the columns of t are unknown. Upload one, or declare the columns with their types.',
      'CONFIGURATION',
      'Upload one, or declare the columns with their types.',
    ],
    [
      'The input file managed_fs:/a.csv changed while it was read. Write files atomically; the next update reads it.',
      'DATA_QUALITY',
      'Write files atomically; the next update reads it.',
    ],
    [
      'Version 3 was published by another update in the meantime; this update changed nothing.',
      'CONCURRENCY',
      'Wait until the other update has ended, then repair the run.',
    ],
    [
      'The manifest of version 3 of the pipeline cannot be read: versions/3/manifest.json in its storage was changed or damaged.',
      'STORAGE',
      'Restore the file from a backup, or remove the storage of the pipeline, and repair the run.',
    ],
    ['The plan of this update is missing or unreadable.', 'INTERNAL', 'Repair the run.'],
  ])('%s', (message, code, nextStep) => {
    expect(explain({ kind: 'message', message }, { taskKind: 'pipeline_task' })).toMatchObject({
      code,
      nextStep,
    });
  });

  test('an error in a query asks for a correction of the query', () => {
    const message = '/p.sql, line 3, column 5: "FROM" was expected, but the file ends.';
    const failure: Failure = {
      kind: 'message',
      message,
      origin: 'user code',
      at: { file: '/p.sql', line: 3 },
    };
    expect(explain(failure, { taskKind: 'pipeline_task' })).toMatchObject({
      code: 'USER_CODE',
      nextStep: 'Correct the query or its input, then repair the run.',
    });
  });

  test('a process that ends without a reason is a fault of the engine', () => {
    const failure: Failure = {
      kind: 'exit',
      program: 'process of the update',
      code: 1,
      error: 'The process of the update ended with exit code 1. Nothing was published.',
      lastLines: [],
    };
    expect(explain(failure, { taskKind: 'pipeline_task' })).toMatchObject({
      code: 'INTERNAL',
      nextStep: 'Read the log of the task, then repair the run.',
    });
  });
});

describe('a timeout says whose limit it was and what the task waited for', () => {
  const limit = { owner: 'task load', seconds: 60 };
  const stop = { reason: 'timeout', limit } as const;
  const prefix = 'Run timed out: task load reached its timeout_seconds of 60';
  test.each<[string, Extract<Failure, { kind: 'stop' }>['phase'], string]>([
    [
      'before it started',
      { kind: 'not started', message: '', durationMs: undefined },
      'Task load had not started',
    ],
    [
      'nodes of a pool',
      {
        kind: 'waiting',
        message: 'Cluster c waits for 2 nodes of the pool "small", which has 2, held by task a of run 3',
        durationMs: 58_900,
      },
      'Task load had waited for 58.9 s and never started: Cluster c waits for 2 nodes of the pool "small", which has 2, held by task a of run 3',
    ],
    [
      'libraries',
      { kind: 'waiting', message: 'Installing libraries on cluster c', durationMs: 125_000 },
      'Task load had waited for 1 min and never started: installing libraries on cluster c',
    ],
    [
      'a child run',
      { kind: 'child run', message: 'run 9 of job 4', durationMs: 59_000 },
      'Task load had waited for 59 s for run 9 of job 4',
    ],
    [
      'a plugin',
      {
        kind: 'plugin',
        message: 'Plugin x blocked its thread and did not stop within 2.5 s',
        durationMs: undefined,
      },
      'Plugin x blocked its thread and did not stop within 2.5 s',
    ],
  ])('%s', (_, phase, rest) => {
    expect(explain({ kind: 'stop', stop, phase }).cause).toBe(`${prefix}. ${rest}`);
  });
});

describe('no remedy is said twice', () => {
  const error = (text: string, at = {}): Failure => ({ kind: 'error', error: text, at });
  test.each<[string, Failure, string, string]>([
    [
      'a task value',
      error('ValueError: Task "a" has not set "rows"; no values were set. Set it there, or pass a default.'),
      'ValueError: Task "a" has not set "rows"; no values were set',
      'Set the value in that task, or pass a default, and repair the run.',
    ],
    [
      'a widget',
      error(
        'ValueError: No widget or run parameter is named "day"; none exist. Pass the parameter to the run, or declare it: dbutils.widgets.text("day", "").',
      ),
      'ValueError: No widget or run parameter is named "day"; none exist',
      'Pass the parameter in base_parameters or notebook_params, or declare it: dbutils.widgets.text("day", ""); then repair the run.',
    ],
    [
      'a query in a cell',
      error('Catalog Error: Table with name t does not exist! (cell 1, line 2)', { cell: 1, line: 2 }),
      'Catalog Error: Table with name t does not exist!',
      'Correct the query there and repair the run.',
    ],
    [
      'a missing library file',
      {
        kind: 'library',
        message:
          'Library installation failed: whl managed_fs:/a.whl: File managed_fs:/a.whl was not found. Put it there with POST /api/2.0/managed_fs/put and start the run again.',
        libraries: [{ name: 'whl managed_fs:/a.whl', index: undefined }],
      },
      'Library installation failed: whl managed_fs:/a.whl: File managed_fs:/a.whl was not found',
      'Upload the file, or correct its path in tasks[load].libraries, then repair the run.',
    ],
  ])('%s', (_, failure, cause, nextStep) => {
    expect(explain(failure)).toMatchObject({ cause, nextStep });
  });
});

test.each([
  [
    'Skipping this run because the limit of 1 maximum concurrent runs has been reached.',
    [7],
    'Raise max_concurrent_runs, or enable queue.',
  ],
  [
    'Skipping this run because the limit of 0 maximum concurrent runs has been reached.',
    [],
    'Raise max_concurrent_runs: with 0, every run is skipped.',
  ],
  ['There are already 4 active runs (limit: 4).', [], 'Start fewer runs at once, or enable queue.'],
])('%s', (message, active, nextStep) => {
  expect(explainConcurrency(message, active).explanation.next_step).toBe(nextStep);
});
