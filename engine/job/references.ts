/**
 * References to dynamic values within text, such as `{{job.id}}`: their grammar, and every name that there
 * is.
 */

/**
 * Names of values that are the same in the whole run. What stands in angle brackets is filled in by whoever
 * refers.
 */
export const runReferences = [
  'job.id',
  'job.name',
  'job.run_id',
  'job.repair_count',
  'job.start_time.<argument>',
  'job.trigger.type',
  'job.trigger.time.<argument>',
  'workspace.id',
  'workspace.url',
  // Older spellings, still in use.
  'job_id',
  'parent_run_id',
] as const;

/** Names of values that only a task knows. */
export const taskReferences = [
  'job.parameters.<parameter>',
  'task.name',
  'task.run_id',
  'task.execution_count',
  'task.notebook_path',
  'tasks.<task>.run_id',
  'tasks.<task>.result_state',
  'tasks.<task>.values.<key>',
  'run_id',
  'start_date',
  'start_time',
  'task_retry_count',
  'task_key',
] as const;

/** Names that the interface knows but that never have a value here, with the reason. */
export const unsupportedReferences = {
  'job.trigger.file_arrival.location': 'no run is triggered by the arrival of a file here',
  'tasks.<task>.output.rows': 'there are no SQL tasks here, and only they have rows',
  'tasks.<task>.output.first_row': 'there are no SQL tasks here, and only they have rows',
  'tasks.<task>.output.first_row.<column>': 'there are no SQL tasks here, and only they have rows',
  input: 'there are no loops over inputs here',
  'input.<field>': 'there are no loops over inputs here',
  'backfill.iso_date': 'there are no backfill runs here',
} as const;

/** What may stand for `<argument>`: a part of an instant, in UTC. */
export const timeArguments = [
  'iso_weekday',
  'is_weekday',
  'iso_date',
  'iso_datetime',
  'year',
  'month',
  'day',
  'hour',
  'minute',
  'second',
  'timestamp_ms',
] as const;

export type RunReference = (typeof runReferences)[number];
export type TaskReference = (typeof taskReferences)[number];
export type UnsupportedReference = keyof typeof unsupportedReferences;
export type ReferenceName = RunReference | TaskReference | UnsupportedReference;
export type TimeArgument = (typeof timeArguments)[number];

/** One reference within a text. */
export interface Reference {
  /** As it stands in the text, braces included. */
  readonly source: string;
  /** Undefined for a name that its namespace does not have. */
  readonly name: ReferenceName | undefined;
  /** The first word, e.g. `job`. */
  readonly namespace: string;
  /** What was filled in for the angle brackets of the name, in their order. */
  readonly args: readonly string[];
}

/** Text that stays as it is, or a reference. */
export type TextPart = string | Reference;

const isUnsupportedReference = (name: string): name is UnsupportedReference =>
  Object.hasOwn(unsupportedReferences, name);
const names: readonly ReferenceName[] = [
  ...runReferences,
  ...taskReferences,
  ...Object.keys(unsupportedReferences).filter(isUnsupportedReference),
];
const shapes = names.map((name) => ({ name, words: name.split('.') }));
const namespaces = new Set(shapes.map(({ words }) => words[0]));

/** Words with dots between them, within double braces; a word of other characters stands in backticks. */
const grammar = /\{\{\s*((?:`[^`]+`|[\p{L}\p{N}_-]+)(?:\.(?:`[^`]+`|[\p{L}\p{N}_-]+))*)\s*\}\}/gu;

/**
 * Cuts a text at its references; together the pieces are the text again. Double braces that hold anything
 * else than a name of a known namespace are text like any other.
 */
export function splitAtReferences(text: string): TextPart[] {
  const pieces: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(grammar)) {
    const reference = parseReference(match[0], match[1] ?? '');
    if (reference === undefined) continue;
    if (match.index > end) pieces.push(text.slice(end, match.index));
    pieces.push(reference);
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push(text.slice(end));
  return pieces;
}

/** The names of a namespace that have a value, for refusals. */
export function referenceNamesIn(namespace: string): ReferenceName[] {
  return shapes
    .filter(({ name, words }) => words[0] === namespace && !isUnsupportedReference(name))
    .map(({ name }) => name);
}

function parseReference(written: string, path: string): Reference | undefined {
  const words = (path.match(/`[^`]+`|[^.`]+/g) ?? []).map((word) => word.replaceAll('`', ''));
  const [namespace = ''] = words;
  if (!namespaces.has(namespace)) return undefined;
  const shape = shapes.find(
    (one) =>
      one.words.length === words.length &&
      one.words.every((word, index) => isPlaceholder(word) || word === words[index]),
  );
  return {
    source: written,
    namespace,
    name: shape?.name,
    args: words.filter((_, index) => isPlaceholder(shape?.words[index] ?? '')),
  };
}

function isPlaceholder(word: string): boolean {
  return word.startsWith('<');
}
