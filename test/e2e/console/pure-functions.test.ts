/** Tests of console functions that need no browser: routes, labels, formats and request bodies. */
import { describe, expect, test } from 'vitest';
import type { Run, RunState, TaskRun } from '../../../console/src/api/documents.ts';
import { toIsoTime } from '../../../console/src/clock.ts';
import { listParameterFields, parseRunParameters } from '../../../console/src/job/run-parameters.ts';
import { computeLabel, taskSummaryOf } from '../../../console/src/job/task-summary.ts';
import { linkTo, parseRoute } from '../../../console/src/route.ts';
import { selectTask, listLatestAttempts, listUnsuccessfulTasks } from '../../../console/src/run/attempts.ts';
import { boxHeight, boxWidth, layoutGraph } from '../../../console/src/run/graph-layout.ts';
import { tailLines, stripEscapeSequences } from '../../../console/src/run/plain-text.ts';
import { stateCodeOf, isActive, stateLabelOf } from '../../../console/src/state-labels.ts';
import { formatDuration } from '../../../console/src/time-format.ts';
import { lifeCycleStates, resultStates } from '../../../engine/run/states.ts';

describe('addresses', () => {
  test.each([
    ['', { page: 'runs', filter: { state: 'all' } }],
    ['#runs?state=active&job=7', { page: 'runs', filter: { state: 'active', jobId: 7 } }],
    ['#runs?state=odd&job=x', { page: 'runs', filter: { state: 'all' } }],
    ['#job/41/run/907', { page: 'run', runId: 907 }],
    ['#job/run/907', { page: 'run', runId: 907 }],
    ['#/job/41/run/907', { page: 'run', runId: 907 }],
    ['#job/41', { page: 'job', jobId: 41 }],
    ['#jobs?name=a%20%26%20b', { page: 'jobs', filter: { name: 'a & b' } }],
    ['#nodes', { page: 'nodes' }],
    ['#clusters', { page: 'clusters' }],
    ['#cluster/1122-171530-mrs3dgqk', { page: 'cluster', clusterId: '1122-171530-mrs3dgqk' }],
    ['#job/41/run/x', { page: 'unknown', address: '#job/41/run/x' }],
    ['#job/<img>', { page: 'unknown', address: '#job/<img>' }],
  ])('address %s is parsed', (hash, route) => expect(parseRoute(hash)).toEqual(route));

  test.each([
    linkTo.runs({ state: 'completed', jobId: 3, pageToken: 'a+/=&' }),
    linkTo.run(1, 2),
    linkTo.job(4),
    linkTo.jobs({ name: 'ü?#&' }),
  ])('address %s round-trips through its route', (address) => {
    const route = parseRoute(address);
    const again =
      route.page === 'runs'
        ? linkTo.runs(route.filter)
        : route.page === 'jobs'
          ? linkTo.jobs(route.filter)
          : route.page === 'run'
            ? linkTo.run(1, route.runId)
            : route.page === 'job'
              ? linkTo.job(route.jobId)
              : '';
    expect(again).toBe(address);
  });
});

describe('states', () => {
  test('every state and result of the service has a distinct label', () => {
    const labels = [
      ...lifeCycleStates
        .filter((state) => state !== 'TERMINATED')
        .map((state) => stateLabelOf({ life_cycle_state: state, state_message: '' })),
      ...resultStates.map((result) =>
        stateLabelOf({ life_cycle_state: 'TERMINATED', result_state: result, state_message: '' }),
      ),
    ].map((label) => label.text);
    expect(new Set(labels).size).toBe(labels.length);
    expect(labels.filter((label) => /_|^[A-Z]+$/.test(label))).toEqual([]);
  });

  test('an unknown state is shown unchanged and counts as active', () => {
    const odd: RunState = { life_cycle_state: 'BLOCKED', state_message: '' };
    expect([stateLabelOf(odd).text, stateCodeOf(odd), isActive(odd)]).toEqual(['BLOCKED', 'BLOCKED', true]);
  });
});

test.each([
  [-5, '0 ms'],
  [0, '0 ms'],
  [999, '999 ms'],
  [1_000, '1.0 s'],
  [9_990, '9.9 s'],
  [59_999, '60 s'],
  [60_000, '1 min'],
  [200_000, '3 min 20 s'],
  [3_600_000, '1 h'],
  [3_661_000, '1 h 1 min'],
  [90_000_000, '1 d 1 h'],
])('%i ms is formatted as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

test('an instant is rendered as ISO 8601 in UTC', () => {
  expect(toIsoTime(1_770_000_000_000)).toBe('2026-02-02T02:40:00.000Z');
});

describe('program output', () => {
  test.each([
    ['\u001B[31mred\u001B[0m and \u001B[1;4mmore', 'red and more'],
    ['\u001B]0;title\u0007text', 'text'],
    ['plain [31m text', 'plain [31m text'],
  ])('%j loses its escape sequences', (text, plain) => expect(stripEscapeSequences(text)).toBe(plain));

  test('the tail of a text comes with its total line count', () => {
    expect(tailLines('a\nb\nc\n', 2)).toEqual({ text: 'b\nc', lines: 3 });
    expect(tailLines('', 2)).toEqual({ text: '', lines: 1 });
  });
});

describe('run-now parameters', () => {
  const fields = listParameterFields([
    { task_key: 'a', notebook_task: { notebook_path: '/a' } },
    { task_key: 'b', spark_python_task: { python_file: 'x' } },
    { task_key: 'c', run_job_task: { job_id: 1 } },
  ]);

  test('fields match the task kinds of the job', () => {
    expect(fields.map(({ field }) => field)).toEqual(['notebook_params', 'python_params']);
  });

  test.each([
    [{}, { field: '', text: 'ignored' }, {}],
    [{ day: '1' }, { field: '', text: '' }, { job_parameters: { day: '1' } }],
    [{}, { field: 'python_params', text: 'a b\n\n c' }, { python_params: ['a b', ' c'] }],
    [{}, { field: 'notebook_params', text: 'x = 1=2\nflag' }, { notebook_params: { x: ' 1=2', flag: '' } }],
    [{}, { field: 'jar_params', text: 'a' }, {}],
  ])('values %j and task parameters %j produce %j', (values, kind, given) =>
    expect(parseRunParameters(values, fields, kind)).toEqual(given),
  );
});

test.each([
  [{ job_cluster_key: 'k' }, 'Job cluster: k'],
  [{ existing_cluster_id: 'c' }, 'Existing cluster: c'],
  [{ new_cluster: {} }, 'New cluster'],
  [{}, '-'],
])('a task with %j shows the cluster label %j', (fields, label) =>
  expect(computeLabel({ task_key: 't', ...fields })).toBe(label),
);

test('an unknown task kind is labelled with its field name', () => {
  expect(taskSummaryOf({ task_key: 't', sql_task: { file: 'x' } })).toMatchObject({
    kind: 'sql_task',
    kindLabel: 'sql_task',
    target: '',
  });
});

describe('attempts', () => {
  const attempt = (key: string, id: number, life: string, result?: string): TaskRun => ({
    task_key: key,
    run_id: id,
    attempt_number: 0,
    start_time: 1,
    end_time: 2,
    setup_duration: 0,
    execution_duration: 0,
    cleanup_duration: 0,
    state: {
      life_cycle_state: life,
      ...(result !== undefined && { result_state: result }),
      state_message: '',
    },
  });
  const tasks = [
    attempt('a', 1, 'TERMINATED', 'FAILED'),
    attempt('a', 4, 'TERMINATED', 'SUCCESS'),
    attempt('b', 2, 'TERMINATED', 'TIMEDOUT'),
    attempt('c', 3, 'SKIPPED'),
  ];
  // The functions under test read no other field.
  const run = { tasks } as unknown as Run;

  test('the latest attempt of each task counts', () => {
    expect(listLatestAttempts(tasks).map(({ run_id: id }) => id)).toEqual([4, 2, 3]);
    expect(listUnsuccessfulTasks(tasks).map(({ task_key: key }) => key)).toEqual(['b', 'c']);
  });

  test('the requested attempt is selected, else the first task whose latest attempt failed', () => {
    expect(selectTask(run, 1)?.run_id).toBe(1);
    expect(selectTask(run, 900)?.run_id).toBe(2);
  });
});

describe('graph layout', () => {
  const chain = [
    { task_key: 'a' },
    { task_key: 'b', depends_on: [{ task_key: 'a' }] },
    { task_key: 'c', depends_on: [{ task_key: 'a' }, { task_key: 'gone' }] },
  ];

  test.each(['LR', 'TB'] as const)(
    '%s: downstream tasks follow their upstream tasks and boxes do not overlap',
    (direction) => {
      const { boxes, edges, width, height } = layoutGraph(chain, direction);
      const [a, b, c] = boxes;
      if (a === undefined || b === undefined || c === undefined) throw new Error('A box is missing.');
      const along = direction === 'LR' ? 'x' : 'y';
      expect(b[along]).toBeGreaterThan(a[along]);
      expect(c[along]).toBe(b[along]);
      expect(Math.abs(b.x - c.x) >= boxWidth || Math.abs(b.y - c.y) >= boxHeight).toBe(true);
      expect(edges.map(({ from, to }) => `${from} ${to}`).toSorted()).toEqual(['a b', 'a c']);
      for (const { x, y } of boxes)
        expect(x >= 0 && y >= 0 && x + boxWidth <= width && y + boxHeight <= height).toBe(true);
    },
  );

  test('task keys that are property names of JavaScript objects are laid out', () => {
    const keys = ['constructor', '__proto__', 'toString'];
    expect(
      layoutGraph(
        keys.map((key) => ({ task_key: key })),
        'LR',
      )
        .boxes.map(({ key }) => key)
        .toSorted(),
    ).toEqual(keys.toSorted());
  });

  test('a hundred tasks in layers of ten are laid out', () => {
    const tasks = Array.from({ length: 100 }, (_, index) => ({
      task_key: `t${index}`,
      depends_on:
        index < 10
          ? []
          : Array.from({ length: 10 }, (_none, before) => ({
              task_key: `t${Math.floor(index / 10) * 10 - 10 + before}`,
            })),
    }));
    expect(layoutGraph(tasks, 'LR').boxes).toHaveLength(100);
  });
});
