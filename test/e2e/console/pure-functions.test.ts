/** The rules of the console that need no browser: addresses, words, figures, and what is sent. */
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
    ['#job/41/run/x', { page: 'unknown', address: '#job/41/run/x' }],
    ['#job/<img>', { page: 'unknown', address: '#job/<img>' }],
  ])('%s is read', (hash, route) => expect(parseRoute(hash)).toEqual(route));

  test.each([
    linkTo.runs({ state: 'completed', jobId: 3, pageToken: 'a+/=&' }),
    linkTo.run(1, 2),
    linkTo.job(4),
    linkTo.jobs({ name: 'ü?#&' }),
  ])('%s leads back to where it came from', (address) => {
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
  test('every state and result of the service has a word of its own', () => {
    const words = [
      ...lifeCycleStates
        .filter((state) => state !== 'TERMINATED')
        .map((state) => stateLabelOf({ life_cycle_state: state, state_message: '' })),
      ...resultStates.map((result) =>
        stateLabelOf({ life_cycle_state: 'TERMINATED', result_state: result, state_message: '' }),
      ),
    ].map((standing) => standing.text);
    expect(new Set(words).size).toBe(words.length);
    expect(words.filter((word) => /_|^[A-Z]+$/.test(word))).toEqual([]);
  });

  test('one that is not known is shown as it came, and counts as going on', () => {
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
])('%i ms reads %s', (ms, words) => expect(formatDuration(ms)).toBe(words));

test('instants are also told in UTC', () => {
  expect(toIsoTime(1_770_000_000_000)).toBe('2026-02-02T02:40:00.000Z');
});

describe('texts of programs', () => {
  test.each([
    ['\u001B[31mred\u001B[0m and \u001B[1;4mmore', 'red and more'],
    ['\u001B]0;title\u0007text', 'text'],
    ['plain [31m text', 'plain [31m text'],
  ])('%j is read without the marks of terminals', (text, plain) =>
    expect(stripEscapeSequences(text)).toBe(plain),
  );

  test('the last lines are shown, and how many there are', () => {
    expect(tailLines('a\nb\nc\n', 2)).toEqual({ text: 'b\nc', lines: 3 });
    expect(tailLines('', 2)).toEqual({ text: '', lines: 1 });
  });
});

describe('parameters of a start', () => {
  const fields = listParameterFields([
    { task_key: 'a', notebook_task: { notebook_path: '/a' } },
    { task_key: 'b', spark_python_task: { python_file: 'x' } },
    { task_key: 'c', run_job_task: { job_id: 1 } },
  ]);

  test('fields are those of the kinds that the job has', () => {
    expect(fields.map(({ field }) => field)).toEqual(['notebook_params', 'python_params']);
  });

  test.each([
    [{}, { field: '', text: 'ignored' }, {}],
    [{ day: '1' }, { field: '', text: '' }, { job_parameters: { day: '1' } }],
    [{}, { field: 'python_params', text: 'a b\n\n c' }, { python_params: ['a b', ' c'] }],
    [{}, { field: 'notebook_params', text: 'x = 1=2\nflag' }, { notebook_params: { x: ' 1=2', flag: '' } }],
    [{}, { field: 'jar_params', text: 'a' }, {}],
  ])('%j with %j gives %j', (values, kind, given) =>
    expect(parseRunParameters(values, fields, kind)).toEqual(given),
  );
});

test.each([
  [{ job_cluster_key: 'k' }, 'shared cluster k'],
  [{ existing_cluster_id: 'c' }, 'cluster c'],
  [{ new_cluster: {} }, 'a cluster of its own'],
  [{}, 'none'],
])('a task with %j says where it runs', (fields, words) =>
  expect(computeLabel({ task_key: 't', ...fields })).toBe(words),
);

test('a kind that the console does not know is named as it is', () => {
  expect(taskSummaryOf({ task_key: 't', sql_task: { file: 'x' } })).toMatchObject({
    kind: 'sql_task',
    words: 'sql_task',
    what: '',
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
  // Nothing else of a run is read.
  const run = { tasks } as unknown as Run;

  test('the latest of each task counts', () => {
    expect(listLatestAttempts(tasks).map(({ run_id: id }) => id)).toEqual([4, 2, 3]);
    expect(listUnsuccessfulTasks(tasks).map(({ task_key: key }) => key)).toEqual(['b', 'c']);
  });

  test('the one that was asked for is shown, else the first whose latest attempt failed', () => {
    expect(selectTask(run, 1)?.run_id).toBe(1);
    expect(selectTask(run, 900)?.run_id).toBe(2);
  });
});

describe('the drawing', () => {
  const chain = [
    { task_key: 'a' },
    { task_key: 'b', depends_on: [{ task_key: 'a' }] },
    { task_key: 'c', depends_on: [{ task_key: 'a' }, { task_key: 'gone' }] },
  ];

  test.each(['LR', 'TB'] as const)(
    '%s: whatever waits stands behind what it waits for, and nothing covers anything',
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

  test('names that are words of the language are names like others', () => {
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

  test('a hundred tasks in layers of ten are drawn', () => {
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
