/** Explanation of a failure: cause, place, next step and evidence. Field names are those of the wire. */
import { Type, type Static } from 'typebox';

/** Cause codes with their meaning and whose fault they are; stable, for filters, metrics and alerts. */
export const causeCodeTable = {
  USER_CODE: {
    owner: 'author of the job',
    meaning: 'The code of the task failed, or chose a failing exit code.',
  },
  CONFIGURATION: {
    owner: 'author of the job',
    meaning: 'A setting, parameter, file name or reference of the job is wrong.',
  },
  DEPENDENCY: { owner: 'author of the job', meaning: 'A library, module or class is missing or broken.' },
  DATA_QUALITY: { owner: 'owner of the data', meaning: 'Rows violate an expectation of a pipeline.' },
  RESOURCE_LIMIT: {
    owner: 'author of the job',
    meaning: 'The task needed more memory, processor time or output than its limit.',
  },
  TIMEOUT: { owner: 'author of the job', meaning: 'A timeout of the task, job or queue was reached.' },
  CANCELLED: { owner: 'user', meaning: 'A user or another run cancelled it.' },
  UPSTREAM: {
    owner: 'author of the job',
    meaning: 'The task did not run because a task before it failed or was skipped.',
  },
  EXCLUDED: { owner: 'none', meaning: 'The task did not run, as its run_if asks. Nothing failed.' },
  CONCURRENCY: {
    owner: 'author of the job',
    meaning: 'The run was skipped because of a limit on active runs.',
  },
  CHILD_RUN: { owner: 'author of the job', meaning: 'A run that the task started did not succeed.' },
  CLUSTER: {
    owner: 'operator',
    meaning: 'The cluster or machine is missing something, could not start, or ended.',
  },
  PLUGIN: {
    owner: 'author of the plugin',
    meaning: 'The plugin of the task kind failed, blocked or is missing.',
  },
  STORAGE: { owner: 'operator', meaning: 'A disk is full, or a file system failed.' },
  INTERNAL: { owner: 'engine', meaning: 'The engine failed, or lost the process of the task.' },
} as const;

export type CauseCode = keyof typeof causeCodeTable;

/** All cause codes. */
export const causeCodes = Object.keys(causeCodeTable).filter(
  (code): code is CauseCode => code in causeCodeTable,
);

/** A text without a maximum: the explanation bounds its texts when it is made. */
const textField = (description: string) => Type.String({ description });

export const PlaceSchema = Type.Object(
  {
    text: textField('The place in one phrase, for example `managed_fs:/etl/load.py, line 8`.'),
    task_key: Type.Optional(textField('Task that failed.')),
    run_id: Type.Optional(Type.Integer({ description: 'Task run that failed.' })),
    attempt: Type.Optional(Type.Integer({ description: 'Attempt of the task, 0 for the first.' })),
    file: Type.Optional(textField('File or notebook, as a managed_fs, objstore or workspace path.')),
    cell: Type.Optional(Type.Integer({ description: 'Cell of the notebook, from 1.' })),
    line: Type.Optional(Type.Integer({ description: 'Line of the file or cell, from 1.' })),
    cluster_id: Type.Optional(textField('Cluster of the task.')),
    node: Type.Optional(textField('Machine on which the task ran.')),
  },
  { description: 'Where it failed.' },
);

const AttemptSchema = Type.Object(
  {
    run_id: Type.Integer({ description: 'Id of the attempt.' }),
    attempt: Type.Integer({ description: 'Number of the attempt, 0 for the first.' }),
    cause: textField('Cause of its end; empty for an attempt that has not failed.'),
    run_page_url: Type.Optional(textField('URL of the attempt in the console.')),
  },
  { description: 'An attempt of the same work.' },
);

const EvidenceSchema = Type.Object(
  {
    exit_status: Type.Optional(textField('How the process ended.')),
    last_lines: Type.Optional(Type.Array(Type.String(), { description: 'Last lines that it wrote.' })),
    frames: Type.Optional(
      Type.Array(Type.String(), { description: 'Stack frames in files of the user, innermost last.' }),
    ),
    folded_frames: Type.Optional(
      Type.Integer({ description: 'Frames of libraries that were left out of `frames`.' }),
    ),
    limits: Type.Optional(Type.Array(Type.String(), { description: 'Limits that applied.' })),
    details: Type.Optional(Type.Array(Type.String(), { description: 'Further facts.' })),
    query: Type.Optional(textField('Query that shows the rows that failed an expectation.')),
    child_run_id: Type.Optional(Type.Integer({ description: 'Run that the task started.' })),
  },
  { description: 'Facts behind the explanation.' },
);

/** An explanation as it is stored and shown. */
export const ExplanationSchema = Type.Object(
  {
    cause_code: Type.Enum(causeCodes, { description: 'Stable code of the cause.' }),
    cause: textField('What happened.'),
    place: PlaceSchema,
    next_step: textField('What to do.'),
    evidence: Type.Optional(EvidenceSchema),
    others: Type.Optional(textField('How many other tasks failed or were skipped.')),
    retries: Type.Optional(textField('How often it was tried.')),
    attempts: Type.Optional(
      Type.Array(AttemptSchema, { description: 'All attempts of the same work, oldest first.' }),
    ),
  },
  { description: 'Why it failed, where, and what to do.' },
);

export type Explanation = Static<typeof ExplanationSchema>;
export type Place = Static<typeof PlaceSchema>;
export type Evidence = Static<typeof EvidenceSchema>;
export type ExplainedAttempt = Static<typeof AttemptSchema>;

/** An explanation with the state_message that contains it. */
export interface Explained {
  readonly explanation: Explanation;
  readonly message: string;
}

/** Ends a text as a sentence. */
export function toSentence(phrase: string): string {
  return /[.!?]$/.test(phrase) || phrase === '' ? phrase : `${phrase}.`;
}

/**
 * Renders a state_message: the phrase that clients know, the cause, the place, the next step.
 * @param prefix known phrase before the cause; '' for none
 */
export function renderMessage(
  prefix: string,
  { cause, place, next_step: nextStep, others, retries }: Explanation,
): string {
  const known = prefix === '' || cause.startsWith(prefix) ? '' : `${prefix}: `;
  return [renderCause(`${known}${cause}`, place), others, retries, nextStep]
    .flatMap((part) => (part === undefined || part === '' ? [] : [toSentence(part)]))
    .join(' ');
}

/** Returns what a text adds to another one, without the sentences that both have. */
export function withoutSentencesOf(text: string, shown: string): string {
  const sentences = (whole: string): string[] => whole.replace(/\.$/, '').split(/\.\s+/);
  const known = new Set(sentences(shown));
  return sentences(text)
    .filter((sentence) => !known.has(sentence))
    .join('. ');
}

/** Appends the place in parentheses, unless the text names it. The message of a task needs no task key. */
export function renderCause(cause: string, { text: place, task_key: key }: Place): string {
  return place === '' || place === `task ${key}` || cause.includes(place)
    ? cause
    : `${cause.replace(/\.$/, '')} (${place})`;
}
