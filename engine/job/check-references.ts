/**
 * Refuses references that can never have a value, before anything runs. What only a run knows is left to the
 * run.
 */
import { invalid } from '../errors.ts';
import { mainTaskKey, tasksOf } from './job-format.ts';
import { upstreamOf } from './task-graph.ts';
import { mapParameterStrings, mapStrings } from './parameter-strings.ts';
import {
  unsupportedReferences,
  referenceNamesIn,
  splitAtReferences,
  taskReferences,
  timeArguments,
  type Reference,
  type ReferenceName,
} from './references.ts';
import type { JobSettings, SubmitSettings, TaskSettings } from './settings.ts';
import { taskBodyOf, taskKindOf, builtInKindOf, type TaskKind } from './task-kinds.ts';
import { truncateText, quote } from '../validation/messages.ts';

/** What a text may refer to. */
export interface ReferenceScope {
  /** Names of the job's parameters. */
  readonly parameters: readonly string[];
  /** The task that the text is for; undefined for the value of a job parameter, which all tasks share. */
  readonly task: TaskScope | undefined;
}

interface TaskScope {
  readonly key: string;
  readonly kind: TaskKind | undefined;
  /** The kinds of all tasks of the job, by key. */
  readonly kinds: ReadonlyMap<string, TaskKind | undefined>;
  /** Keys of the tasks that are over when this one starts. */
  readonly upstream: ReadonlySet<string>;
}

/**
 * Refuses references in the parameters of tasks and in the defaults of job parameters. Expects a valid graph.
 * @throws ServiceError INVALID_PARAMETER_VALUE that names field, reference and reason
 */
export function checkReferences(settings: JobSettings | SubmitSettings): void {
  for (const [index, parameter] of (settings.parameters ?? []).entries()) {
    checkTextReferences(parameter.default, `parameters[${index}].default`, {
      parameters: [],
      task: undefined,
    });
  }
  for (const [index, task] of tasksOf(settings).entries()) {
    const kind = taskKindOf(task);
    const body = taskBodyOf(task, kind);
    if (kind === undefined || body === undefined) continue;
    const scope = referenceScopeOf(settings, task);
    const path = settings.tasks === undefined ? kind : `tasks[${index}].${kind}`;
    mapParameterStrings(kind, path, body, (text, where) => checkTextReferences(text, where, scope));
  }
}

/**
 * Refuses references in the texts of one field (a list or a map).
 * @throws ServiceError INVALID_PARAMETER_VALUE that names field, reference and reason
 */
export function checkFieldReferences(field: string, value: unknown, scope: ReferenceScope): void {
  mapStrings(field, value, (text, where) => checkTextReferences(text, where, scope));
}

/** What the parameters of a task may refer to. */
export function referenceScopeOf(settings: JobSettings | SubmitSettings, task: TaskSettings): ReferenceScope {
  const tasks = tasksOf(settings);
  return {
    parameters: (settings.parameters ?? []).map(({ name }) => name),
    task: {
      key: task.task_key,
      kind: builtInKindOf(task),
      kinds: new Map(tasks.map((one) => [one.task_key, builtInKindOf(one)])),
      upstream: upstreamOf(task.task_key, tasks),
    },
  };
}

/** Gives the text back, so that it fits where texts are changed. */
function checkTextReferences(text: string, path: string, scope: ReferenceScope): string {
  for (const piece of splitAtReferences(text)) {
    const reason = typeof piece === 'string' ? undefined : invalidReasonOf(piece, scope);
    if (typeof piece !== 'string' && reason !== undefined)
      throw invalid(`${path} refers to ${truncateText(piece.source)}; ${reason}.`);
  }
  return text;
}

const unsupportedReasons: ReadonlyMap<string, string> = new Map(Object.entries(unsupportedReferences));
const taskReferenceNames: ReadonlySet<string> = new Set(taskReferences);

/** Why a reference can never have a value; undefined when it can. */
function invalidReasonOf({ name, namespace, args }: Reference, scope: ReferenceScope): string | undefined {
  if (name === undefined)
    return `there is no such value; known are ${referenceNamesIn(namespace).join(', ') || 'none'}`;
  const missing = unsupportedReasons.get(name);
  if (missing !== undefined) return missing;
  if (taskReferenceNames.has(name) && scope.task === undefined)
    return 'the value of a job parameter is the same for all tasks, and may refer to values of the run alone';
  return rules[name]?.(args, scope);
}

type Rule = (filled: readonly string[], scope: ReferenceScope) => string | undefined;

const checkTimeArgument: Rule = ([argument = '']) =>
  timeArguments.some((known) => known === argument)
    ? undefined
    : `${quote(argument)} is none of ${timeArguments.join(', ')}`;

const checkUpstream: Rule = ([key = ''], { task }) => {
  if (task === undefined || task.upstream.has(key)) return undefined;
  if (!task.kinds.has(key)) return `no task has the key ${quote(key)}`;
  if (key === task.key) return 'it is the task itself, which knows this only when it is over';
  return `task ${key} need not be over when task ${task.key} starts: name it in depends_on`;
};

/** The rules of names that need one. */
const rules: { readonly [name in ReferenceName]?: Rule } = {
  'job.start_time.<argument>': checkTimeArgument,
  'job.trigger.time.<argument>': checkTimeArgument,
  'job.parameters.<parameter>': ([parameter = ''], { parameters }) => {
    if (parameters.includes(parameter)) return undefined;
    return `the job has no parameter ${quote(parameter)}; it has ${parameters.map(quote).join(', ') || 'none'}`;
  },
  'task.notebook_path': (_, { task }) =>
    task?.kind === 'notebook_task' ? undefined : `task ${task?.key ?? mainTaskKey} is no notebook_task`,
  'tasks.<task>.run_id': checkUpstream,
  'tasks.<task>.result_state': checkUpstream,
  'tasks.<task>.values.<key>': ([key = '', ...rest], scope) => {
    const refusal = checkUpstream([key, ...rest], scope);
    if (refusal !== undefined || scope.task?.kinds.get(key) === 'notebook_task') return refusal;
    return `task ${key} is no notebook_task, and only notebooks set values`;
  },
};
