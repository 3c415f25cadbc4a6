/**
 * What references to dynamic values stand for in one run (WIRE g): `{{job.id}}` becomes 41, all other text
 * stays.
 */
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

/** What references may name in every text of a run. Times are epoch ms. */
export interface RunFacts {
  readonly jobId: number;
  readonly jobName: string;
  readonly jobRunId: number;
  readonly repairCount: number;
  readonly startTime: number;
  readonly trigger: TriggerType;
  /** For which the schedule started it; else when it was started. */
  readonly triggerTime: number;
  readonly workspaceId: string;
  readonly workspaceUrl: string;
}

/** Values that a task set for those after it: name -> JSON text, exactly as the task wrote it. */
export type TaskValues = Readonly<Record<string, string>>;

/** A task that is over. */
export interface UpstreamFacts {
  readonly runId: number;
  /** success, failed, timedout, canceled; skipped for a task that never ran. */
  readonly result: string;
  readonly values: TaskValues;
}

/** What references may name in the parameters of one task. */
export interface TaskFacts {
  readonly key: string;
  readonly runId: number;
  /** When its work began, epoch ms. */
  readonly startTime: number;
  /** 0 for the first attempt. */
  readonly attempt: number;
  /** Undefined for a task of another kind. */
  readonly notebookPath: string | undefined;
  /** The job's parameters by name, with their values in this run. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Everything it depends on, directly or not, by key. */
  readonly upstream: ReadonlyMap<string, UpstreamFacts>;
}

export interface ReferenceFacts {
  readonly run: RunFacts;
  /** Undefined for texts that belong to no task. */
  readonly task: TaskFacts | undefined;
}

/** A text, or the sentence that says which reference has no value and why. */
export type ResolvedText = { readonly text: string } | { readonly error: string };

/**
 * The text with every reference replaced by its value. What a value holds is never looked into for
 * references. Everything else stays as it is, byte for byte.
 */
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

/** Undefined: there is nothing of that name, and that was refused when the job was stored. */
type LookupResult = string | MissingValue | undefined;

const runReferenceValues: Readonly<
  Record<RunReference, (run: RunFacts, ...filled: string[]) => LookupResult>
> = {
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
  Record<TaskReference, (task: TaskFacts, ...filled: string[]) => LookupResult>
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

function timePartOf(at: number, argument: string | undefined): LookupResult {
  const part = timeArguments.find((known) => known === argument);
  return part === undefined ? undefined : timeParts[part](at);
}

/** A value as text: a text without its quotes, anything else as JSON. */
function taskValueText(task: string, values: TaskValues, key: string): LookupResult {
  const json = new Map(Object.entries(values)).get(key);
  if (json === undefined) {
    const names = Object.keys(values);
    return {
      reason: `task ${task} has set no value named ${quote(key)}; it has set ${names.length === 0 ? 'none' : truncateText(names.join(', '))}`,
    };
  }
  const text = textOf(json);
  // Arguments of a program end at the first one.
  return text.includes('\0') ? { reason: 'it holds a NUL character, which no parameter can carry' } : text;
}

function textOf(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    // Numbers stay as they were written: 1.0, or more digits than a double holds.
    return typeof value === 'string' ? value : json;
  } catch {
    return json;
  }
}
