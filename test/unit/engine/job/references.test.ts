/** Splitting of text at references. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  unsupportedReferences,
  referenceNamesIn,
  splitAtReferences,
  runReferences,
  taskReferences,
} from '../../../../engine/job/references.ts';

const read = (text: string) =>
  splitAtReferences(text).map((part) => (typeof part === 'string' ? part : [part.name, ...part.args]));

test.each([...runReferences, ...taskReferences, ...Object.keys(unsupportedReferences)])(
  '{{%s}} is a known reference',
  (name) => {
    const filled = [...name.matchAll(/<(\w+)>/g)].map((match) => match[1]);
    const written = `{{${name.replaceAll(/[<>]/g, '')}}}`;
    expect(read(written)).toEqual([[name, ...filled]]);
    expect(read(`a ${written}b`)).toEqual(['a ', [name, ...filled], 'b']);
  },
);

test.each<[string, string, unknown[]]>([
  ['spaces within the braces', '{{ job.id\t}}', [['job.id']]],
  ['backticks around odd names', '{{job.parameters.`a b}}.c`}}', [['job.parameters.<parameter>', 'a b}}.c']]],
  [
    'backticks around any word',
    '{{`tasks`.`load`.values.`the key`}}',
    [['tasks.<task>.values.<key>', 'load', 'the key']],
  ],
  [
    'hyphens and letters of any script',
    '{{tasks.load-data.values.größe}}',
    [['tasks.<task>.values.<key>', 'load-data', 'größe']],
  ],
  ['several references in one text', '{{job.id}}{{task_key}}', [['job.id'], ['task_key']]],
  ['more braces around them', '{{{job.id}}}', ['{', ['job.id'], '}']],
  ['an unknown name in a known namespace', '{{job.naem}}', [[undefined]]],
  ['a namespace alone', '{{job}}', [[undefined]]],
  ['too many words', '{{task.name.x}}', [[undefined]]],
])('%s are parsed as references', (_fact, text, parts) => {
  expect(read(text)).toEqual(parts);
});

test.each([
  '',
  'text',
  '{}',
  '{{}}',
  '{{ }}',
  '{job.id}',
  '{{job.id}',
  '{{job.id',
  'job.id}}',
  '{{job..id}}',
  '{{.job.id}}',
  '{{job.id.}}',
  '{{job id}}',
  '{{job.id + 1}}',
  '{{ job . id }}',
  '{{"job.id"}}',
  '{{job.parameters.``}}',
  '{{job.parameters.`a}}',
  '{{name}}',
  '{{ user.name }}',
  '{{Job.id}}',
  '{{#each x}}',
  '{{> job}}',
  '{{\u0000}}',
])('%j is literal text', (text) => {
  expect(read(text)).toEqual(text === '' ? [] : [text]);
});

test('the concatenated parts of any text equal the text', () => {
  const word = fc.constantFrom(
    '{{',
    '}}',
    '{',
    '}',
    '`',
    '.',
    ' ',
    'job',
    'tasks',
    'id',
    'values',
    'input',
    'ü',
    '\uD800',
    '\n',
    'x',
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(word, fc.string({ unit: 'binary' }))).map((words) => words.join('')),
      (text) => {
        expect(
          splitAtReferences(text)
            .map((part) => (typeof part === 'string' ? part : part.source))
            .join(''),
        ).toBe(text);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('long and hostile texts without references are one part', () => {
  for (const text of [
    'x'.repeat(1e6),
    '{{'.repeat(1e6),
    '{{`'.repeat(5e5),
    `{{${' '.repeat(1e6)}`,
    `{{${'a.'.repeat(5e5)}`,
    `{{\`${'a'.repeat(1e6)}`,
  ]) {
    expect(splitAtReferences(text)).toEqual([text]);
  }
});

test('referenceNamesIn omits unsupported references', () => {
  expect(referenceNamesIn('task')).toEqual([
    'task.name',
    'task.run_id',
    'task.execution_count',
    'task.notebook_path',
  ]);
  expect(referenceNamesIn('input')).toEqual([]);
});
