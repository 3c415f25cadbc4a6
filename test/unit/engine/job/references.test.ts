/** References within text: what is one, what is text, and that nothing is lost in the cutting. */
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
  splitAtReferences(text).map((piece) => (typeof piece === 'string' ? piece : [piece.name, ...piece.args]));

test.each([...runReferences, ...taskReferences, ...Object.keys(unsupportedReferences)])(
  '{{%s}} is known',
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
  ['several in one text', '{{job.id}}{{task_key}}', [['job.id'], ['task_key']]],
  ['more braces around them', '{{{job.id}}}', ['{', ['job.id'], '}']],
  ['an unknown name in a known namespace', '{{job.naem}}', [[undefined]]],
  ['a namespace alone', '{{job}}', [[undefined]]],
  ['too many words', '{{task.name.x}}', [[undefined]]],
])('%s', (_fact, text, pieces) => {
  expect(read(text)).toEqual(pieces);
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
])('%j is text like any other', (text) => {
  expect(read(text)).toEqual(text === '' ? [] : [text]);
});

test('the pieces of any text are the text', () => {
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
            .map((piece) => (typeof piece === 'string' ? piece : piece.source))
            .join(''),
        ).toBe(text);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('text without double braces is one piece, however long, and hostile text is cut in no time', () => {
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

test('the names of a namespace leave out those that never have a value', () => {
  expect(referenceNamesIn('task')).toEqual([
    'task.name',
    'task.run_id',
    'task.execution_count',
    'task.notebook_path',
  ]);
  expect(referenceNamesIn('input')).toEqual([]);
});
