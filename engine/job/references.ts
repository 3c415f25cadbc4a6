/** References to dynamic values in text, such as `{{job.id}}`: grammar and names. */

/** References with the same value in the whole run. Angle brackets mark arguments. */
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
  // Deprecated aliases.
  'job_id',
  'parent_run_id',
] as const;

/** References whose value depends on the task. */
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

/** References of the interface that this service does not support, with the reason. */
export const unsupportedReferences = {
  'job.trigger.file_arrival.location': 'file arrival triggers are not supported',
  'tasks.<task>.output.rows': 'SQL tasks are not supported',
  'tasks.<task>.output.first_row': 'SQL tasks are not supported',
  'tasks.<task>.output.first_row.<column>': 'SQL tasks are not supported',
  input: 'for-each tasks are not supported',
  'input.<field>': 'for-each tasks are not supported',
  'backfill.iso_date': 'backfill runs are not supported',
} as const;

/** Values of `<argument>`: parts of an instant in UTC. */
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

/** A reference in a text. */
export interface Reference {
  /** Source text, including braces. */
  readonly source: string;
  /** Undefined for an unknown name in a known namespace. */
  readonly name: ReferenceName | undefined;
  /** The first word, e.g. `job`. */
  readonly namespace: string;
  /** Arguments of the name, in order. */
  readonly args: readonly string[];
}

/** Literal text or a reference. */
export type TextPart = string | Reference;

const isUnsupportedReference = (name: string): name is UnsupportedReference =>
  Object.hasOwn(unsupportedReferences, name);
const names: readonly ReferenceName[] = [
  ...runReferences,
  ...taskReferences,
  ...Object.keys(unsupportedReferences).filter(isUnsupportedReference),
];
const knownReferences = names.map((name) => ({ name, words: name.split('.') }));
const namespaces = new Set(knownReferences.map(({ words }) => words[0]));

/** Matches dot-separated words in double braces. Backticks quote words with other characters. */
const grammar = /\{\{\s*((?:`[^`]+`|[\p{L}\p{N}_-]+)(?:\.(?:`[^`]+`|[\p{L}\p{N}_-]+))*)\s*\}\}/gu;

/**
 * Splits a text at its references; the concatenated parts equal the text. Double braces without a name of a
 * known namespace are literal text.
 */
export function splitAtReferences(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(grammar)) {
    const reference = parseReference(match[0], match[1] ?? '');
    if (reference === undefined) continue;
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push(reference);
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** Returns the supported references of a namespace, for error messages. */
export function referenceNamesIn(namespace: string): ReferenceName[] {
  return knownReferences
    .filter(({ name, words }) => words[0] === namespace && !isUnsupportedReference(name))
    .map(({ name }) => name);
}

function parseReference(written: string, path: string): Reference | undefined {
  const words = (path.match(/`[^`]+`|[^.`]+/g) ?? []).map((word) => word.replaceAll('`', ''));
  const [namespace = ''] = words;
  if (!namespaces.has(namespace)) return undefined;
  const known = knownReferences.find(
    (one) =>
      one.words.length === words.length &&
      one.words.every((word, index) => isPlaceholder(word) || word === words[index]),
  );
  return {
    source: written,
    namespace,
    name: known?.name,
    args: words.filter((_, index) => isPlaceholder(known?.words[index] ?? '')),
  };
}

function isPlaceholder(word: string): boolean {
  return word.startsWith('<');
}
