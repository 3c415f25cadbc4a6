/** Values of references, in every spelling, alone and within text. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  unsupportedReferences,
  runReferences,
  taskReferences,
  timeArguments,
} from '../../../../engine/job/references.ts';
import {
  resolveReferences,
  type ReferenceFacts,
  type RunFacts,
  type TaskFacts,
} from '../../../../engine/run/dynamic-values.ts';
import { timeParts } from '../../../../engine/run/time-parts.ts';

/** Friday, 2026-11-20, 08:05:09.007 UTC. */
const start = 1_795_161_909_007;

const run: RunFacts = {
  jobId: 41,
  jobName: 'nightly {{job.id}}',
  jobRunId: 907,
  repairCount: 0,
  startTime: start,
  trigger: 'ONE_TIME',
  triggerTime: start - 9_007,
  workspaceId: '17',
  workspaceUrl: 'http://runyard.test',
};
const task: TaskFacts = {
  key: 'report',
  runId: 909,
  startTime: start + 86_400_000,
  attempt: 2,
  notebookPath: '/team/report',
  parameters: new Map([
    ['city', 'Zürich'],
    ['odd name', '$& {{job.id}}'],
    ['empty', ''],
  ]),
  upstream: new Map([
    [
      'load',
      {
        runId: 908,
        result: 'success',
        values: {
          rows: '12345678901234567890',
          rate: '1.0',
          text: '"a \\"b\\""',
          'odd.key': '[1, "x"]',
          none: 'null',
          nul: '"a\\u0000"',
          broken: '"',
        },
      },
    ],
    ['check', { runId: 910, result: 'skipped', values: {} }],
  ]),
};
const facts: ReferenceFacts = { run, task };

/** Each name, a reference with this name, and its value. */
const values: readonly (readonly [name: string, written: string, value: string])[] = [
  ['job.id', 'job.id', '41'],
  ['job.name', 'job.name', 'nightly {{job.id}}'],
  ['job.run_id', 'job.run_id', '907'],
  ['job.repair_count', 'job.repair_count', '0'],
  ['job.start_time.<argument>', 'job.start_time.iso_datetime', '2026-11-20T08:05:09'],
  ['job.trigger.type', 'job.trigger.type', 'onetime'],
  ['job.trigger.time.<argument>', 'job.trigger.time.iso_datetime', '2026-11-20T08:05:00'],
  ['workspace.id', 'workspace.id', '17'],
  ['workspace.url', 'workspace.url', 'http://runyard.test'],
  ['job_id', 'job_id', '41'],
  ['parent_run_id', 'parent_run_id', '907'],
  ['job.parameters.<parameter>', 'job.parameters.city', 'Zürich'],
  ['job.parameters.<parameter>', 'job.parameters.`odd name`', '$& {{job.id}}'],
  ['job.parameters.<parameter>', 'job.parameters.empty', ''],
  ['task.name', 'task.name', 'report'],
  ['task.run_id', 'task.run_id', '909'],
  ['task.execution_count', 'task.execution_count', '3'],
  ['task.notebook_path', 'task.notebook_path', '/team/report'],
  ['tasks.<task>.run_id', 'tasks.load.run_id', '908'],
  ['tasks.<task>.result_state', 'tasks.load.result_state', 'success'],
  ['tasks.<task>.result_state', 'tasks.check.result_state', 'skipped'],
  ['tasks.<task>.values.<key>', 'tasks.load.values.rows', '12345678901234567890'],
  ['tasks.<task>.values.<key>', 'tasks.load.values.rate', '1.0'],
  ['tasks.<task>.values.<key>', 'tasks.load.values.text', 'a "b"'],
  ['tasks.<task>.values.<key>', 'tasks.load.values.`odd.key`', '[1, "x"]'],
  ['tasks.<task>.values.<key>', 'tasks.load.values.none', 'null'],
  ['tasks.<task>.values.<key>', 'tasks.load.values.broken', '"'],
  ['run_id', 'run_id', '909'],
  ['start_date', 'start_date', '2026-11-21'],
  ['start_time', 'start_time', '1795248309007'],
  ['task_retry_count', 'task_retry_count', '2'],
  ['task_key', 'task_key', 'report'],
];

test.each(values)('%s: {{%s}} is %j', (_name, written, value) => {
  expect(resolveReferences(`{{${written}}}`, facts)).toEqual({ text: value });
  expect(resolveReferences(`a {{ ${written} }}-{{${written}}}$1`, facts)).toEqual({
    text: `a ${value}-${value}$1`,
  });
});

test('the table above has every name with a value', () => {
  expect([...new Set(values.map(([name]) => name))].sort()).toEqual(
    [...runReferences, ...taskReferences].sort(),
  );
});

describe('parts of a time in UTC', () => {
  test.each<[string, number, Record<(typeof timeArguments)[number], string>]>([
    [
      'a Friday',
      start,
      {
        iso_weekday: '5',
        is_weekday: 'true',
        iso_date: '2026-11-20',
        iso_datetime: '2026-11-20T08:05:09',
        year: '2026',
        month: '11',
        day: '20',
        hour: '08',
        minute: '05',
        second: '09',
        timestamp_ms: '1795161909007',
      },
    ],
    [
      'a Sunday',
      1_767_225_600_000 + 3 * 86_400_000,
      {
        iso_weekday: '7',
        is_weekday: 'false',
        iso_date: '2026-01-04',
        iso_datetime: '2026-01-04T00:00:00',
        year: '2026',
        month: '01',
        day: '04',
        hour: '00',
        minute: '00',
        second: '00',
        timestamp_ms: '1767484800000',
      },
    ],
    [
      'the first moment',
      0,
      {
        iso_weekday: '4',
        is_weekday: 'true',
        iso_date: '1970-01-01',
        iso_datetime: '1970-01-01T00:00:00',
        year: '1970',
        month: '01',
        day: '01',
        hour: '00',
        minute: '00',
        second: '00',
        timestamp_ms: '0',
      },
    ],
  ])('%s', (_fact, at, parts) => {
    expect(Object.fromEntries(timeArguments.map((argument) => [argument, timeParts[argument](at)]))).toEqual(
      parts,
    );
    for (const argument of timeArguments) {
      expect(
        resolveReferences(`{{job.start_time.${argument}}}`, { run: { ...run, startTime: at }, task }),
      ).toEqual({ text: parts[argument] });
    }
  });

  test('the day of the week repeats every seven days', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (at) => {
        expect(timeParts.iso_weekday(at)).toMatch(/^[1-7]$/);
        expect(timeParts.iso_weekday(at + 7 * 86_400_000)).toBe(timeParts.iso_weekday(at));
      }),
    );
  });
});

test.each<[string, string]>([
  ['PERIODIC', 'periodic'],
  ['ONE_TIME', 'onetime'],
  ['RETRY', 'retry'],
] as const)('the trigger %s reads %s', (trigger, text) => {
  expect(
    resolveReferences('{{job.trigger.type}}', {
      run: { ...run, trigger: trigger as RunFacts['trigger'] },
      task,
    }),
  ).toEqual({ text });
});

describe('a reference without a value has an error', () => {
  test.each([
    [
      'tasks.load.values.raws',
      '{{tasks.load.values.raws}} has no value: task load has not set "raws"; it has set rows, rate, text, odd.key, none, nul, broken.',
    ],
    [
      'tasks.check.values.rows',
      '{{tasks.check.values.rows}} has no value: task check has not set "rows"; no values were set.',
    ],
    [
      'tasks.load.values.__proto__',
      '{{tasks.load.values.__proto__}} has no value: task load has not set "__proto__"; it has set rows',
    ],
    [
      'tasks.load.values.nul',
      '{{tasks.load.values.nul}} has no value: it contains a NUL character, which is not allowed in a parameter.',
    ],
    ['tasks.gone.run_id', '{{tasks.gone.run_id}} has no value here.'],
    ['job.parameters.gone', '{{job.parameters.gone}} has no value here.'],
    ['job.start_time.week', '{{job.start_time.week}} has no value here.'],
    ['job.naem', '{{job.naem}} has no value.'],
    ['input', '{{input}} has no value.'],
  ])('{{%s}}', (written, error) => {
    expect(resolveReferences(`{{job.id}} {{${written}}}`, facts)).toEqual({
      error: expect.stringContaining(error),
    });
  });

  test.each(Object.keys(unsupportedReferences))('%s', (name) => {
    expect(resolveReferences(`{{${name.replaceAll(/[<>]/g, '')}}}`, facts)).toHaveProperty('error');
  });

  test('a task reference outside of a task', () => {
    for (const name of taskReferences)
      expect(
        resolveReferences(`{{${name.replaceAll(/[<>]/g, '')}}}`, { run, task: undefined }),
      ).toHaveProperty('error');
    expect(resolveReferences('{{job.id}}', { run, task: undefined })).toEqual({ text: '41' });
  });

  test('a notebook path for another kind of task', () => {
    expect(
      resolveReferences('{{task.notebook_path}}', { run, task: { ...task, notebookPath: undefined } }),
    ).toHaveProperty('error');
  });
});

describe('resolveReferences', () => {
  test('text without references is unchanged', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).filter((text) => !text.includes('{{')),
        (text) => {
          expect(resolveReferences(text, facts)).toEqual({ text });
        },
      ),
    );
  });

  test('text around references is unchanged, and references in values are not resolved', () => {
    const piece = fc.oneof(
      fc
        .string({ unit: 'binary' })
        .map((text) => ({ written: text.replaceAll('{{', ''), value: text.replaceAll('{{', '') })),
      fc.constantFrom(...values.map(([, written, value]) => ({ written: `{{${written}}}`, value }))),
    );
    // A brace at the end of a text and one at the start of the next piece would make other references.
    const apart = (pieces: readonly { written: string; value: string }[]) =>
      pieces.filter(({ written }) => !/^[{}]|[{}]$/.test(written) || written.startsWith('{{'));
    fc.assert(
      fc.property(fc.array(piece).map(apart), (pieces) => {
        expect(resolveReferences(pieces.map(({ written }) => written).join(''), facts)).toEqual({
          text: pieces.map(({ value }) => value).join(''),
        });
      }),
    );
  });
});
