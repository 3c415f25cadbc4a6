/** Resolves references to dynamic values in the texts of a run (WIRE g), such as `{{job.id}}`. */
import {
  unsupportedReferences,
  splitAtReferences,
  timeArguments,
  type Reference,
  type ReferenceName,
  type RunReference,
  type TaskReference,
} from '../job/references.ts';
import { truncateText, quote } from '../validation/messages.ts';
import type { TriggerType } from './run.ts';
import { timeParts } from './time-parts.ts';

/** Values of references in every text of a run. Times are epoch ms. */
export interface RunFacts {
  readonly jobId: number;
  readonly jobName: string;
  readonly jobRunId: number;
  readonly repairCount: number;
  readonly startTime: number;
  readonly trigger: TriggerType;
  /** Scheduled time of the run; its start time for a run without one. */
  readonly triggerTime: number;
  readonly workspaceId: string;
  readonly workspaceUrl: string;
}

/** Values that a task set for downstream tasks: name -> JSON text as the task wrote it. */
export type TaskValues = Readonly<Record<string, string>>;

/** Finished upstream task. */
export interface UpstreamFacts {
  readonly runId: number;
  /** success, failed, timedout, canceled or, for a task that did not run, skipped. */
  readonly result: string;
  readonly values: TaskValues;
}

/** Values of references in the parameters of one task. */
export interface TaskFacts {
  readonly key: string;
  readonly runId: number;
  /** Start of its execution, epoch ms. */
  readonly startTime: number;
  /** 0 for the first attempt. */
  readonly attempt: number;
  /** Undefined for a task of another kind. */
  readonly notebookPath: string | undefined;
  /** Job parameters by name, with their values in this run. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Direct and indirect upstream tasks by key. */
  readonly upstream: ReadonlyMap<string, UpstreamFacts>;
}

export interface ReferenceFacts {
  readonly run: RunFacts;
  /** Undefined for texts outside of tasks. */
  readonly task: TaskFacts | undefined;
}

/** Resolved text, or a sentence on the reference without a value. */
export type ResolvedText = { readonly text: string } | { readonly error: string };

/** Replaces every reference in a text by its value. References within values are not resolved. */
export function resolveReferences(text: string, facts: ReferenceFacts): ResolvedText {
  const parts: string[] = [];
  for (const piece of splitAtReferences(text)) {
    const value = typeof piece === 'string' ? { text: piece } : resolveReference(piece, facts);
    if ('error' in value) return value;
    parts.push(value.text);
  }
  return { text: parts.join('') };
}

function resolveReference({ name, source, args }: Reference, { run, task }: ReferenceFacts): ResolvedText {
  const reference = truncateText(source);
  if (name === undefined || name in unsupportedReferences) return { error: `${reference} has no value.` };
  const found = isRunReference(name)
    ? runReferenceValues[name](run, ...args)
    : task && isTaskReference(name)
      ? taskReferenceValues[name](task, ...args)
      : undefined;
  if (found === undefined) return { error: `${reference} has no value here.` };
  return typeof found === 'string'
    ? { text: found }
    : { error: `${reference} has no value: ${found.reason}.` };
}

interface MissingValue {
  readonly reason: string;
}

/** Value of a reference; undefined for an unknown name, which the validation of the job refuses. */
type LookupResult = string | MissingValue | undefined;

const runReferenceValues: Readonly<Record<RunReference, (run: RunFacts, ...args: string[]) => LookupResult>> =
  {
    'job.id': ({ jobId }) => String(jobId),
    'job.name': ({ jobName }) => jobName,
    'job.run_id': ({ jobRunId }) => String(jobRunId),
    'job.repair_count': ({ repairCount }) => String(repairCount),
    'job.start_time.<argument>': ({ startTime }, argument) => timePartOf(startTime, argument),
    'job.trigger.type': ({ trigger }) => triggerTypeTexts[trigger],
    'job.trigger.time.<argument>': ({ triggerTime }, argument) => timePartOf(triggerTime, argument),
    'workspace.id': ({ workspaceId }) => workspaceId,
    'workspace.url': ({ workspaceUrl }) => workspaceUrl,
    job_id: ({ jobId }) => String(jobId),
    parent_run_id: ({ jobRunId }) => String(jobRunId),
  };

const taskReferenceValues: Readonly<
  Record<TaskReference, (task: TaskFacts, ...args: string[]) => LookupResult>
> = {
  'job.parameters.<parameter>': ({ parameters }, name = '') => parameters.get(name),
  'task.name': ({ key }) => key,
  'task.run_id': ({ runId }) => String(runId),
  'task.execution_count': ({ attempt }) => String(attempt + 1),
  'task.notebook_path': ({ notebookPath }) => notebookPath,
  'tasks.<task>.run_id': ({ upstream }, key = '') => upstream.get(key)?.runId.toString(),
  'tasks.<task>.result_state': ({ upstream }, key = '') => upstream.get(key)?.result,
  'tasks.<task>.values.<key>': ({ upstream }, task = '', key = '') =>
    taskValueText(task, upstream.get(task)?.values ?? {}, key),
  run_id: ({ runId }) => String(runId),
  start_date: ({ startTime }) => timeParts.iso_date(startTime),
  start_time: ({ startTime }) => timeParts.timestamp_ms(startTime),
  task_retry_count: ({ attempt }) => String(attempt),
  task_key: ({ key }) => key,
};

const triggerTypeTexts: Readonly<Record<TriggerType, string>> = {
  PERIODIC: 'periodic',
  ONE_TIME: 'onetime',
  RETRY: 'retry',
};

function isRunReference(name: ReferenceName): name is RunReference {
  return Object.hasOwn(runReferenceValues, name);
}

function isTaskReference(name: ReferenceName): name is TaskReference {
  return Object.hasOwn(taskReferenceValues, name);
}

function timePartOf(time: number, argument: string | undefined): LookupResult {
  const part = timeArguments.find((known) => known === argument);
  return part === undefined ? undefined : timeParts[part](time);
}

/** Returns a task value as text: a JSON text without quotes, anything else as JSON. */
function taskValueText(task: string, values: TaskValues, key: string): LookupResult {
  const json = new Map(Object.entries(values)).get(key);
  if (json === undefined) {
    const names = Object.keys(values);
    return {
      reason: `task ${task} has not set ${quote(key)}; ${names.length === 0 ? 'no values were set' : `it has set ${truncateText(names.join(', '))}`}`,
    };
  }
  const text = textOf(json);
  // Program arguments end at the first NUL character.
  return text.includes('\0')
    ? { reason: 'it contains a NUL character, which is not allowed in a parameter' }
    : text;
}

function textOf(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    // Numbers keep their spelling, such as 1.0, or more digits than a double holds.
    return typeof value === 'string' ? value : json;
  } catch {
    return json;
  }
}
