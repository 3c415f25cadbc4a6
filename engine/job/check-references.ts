/** Refuses references that never have a value. Other references are resolved when the run starts. */
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

/** Values that a text may refer to. */
export interface ReferenceScope {
  /** Names of the parameters of the job. */
  readonly parameters: readonly string[];
  /** Task of the text; undefined for the value of a job parameter, which all tasks share. */
  readonly task: TaskScope | undefined;
}

interface TaskScope {
  readonly key: string;
  readonly kind: TaskKind | undefined;
  /** Kinds of all tasks of the job by key. */
  readonly kinds: ReadonlyMap<string, TaskKind | undefined>;
  /** Keys of the upstream tasks. */
  readonly upstream: ReadonlySet<string>;
}

/**
 * Refuses invalid references in the parameters of tasks and in the defaults of job parameters. Expects a
 * valid graph.
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
 * Refuses invalid references in the texts of one field (a list or a map).
 * @throws ServiceError INVALID_PARAMETER_VALUE that names field, reference and reason
 */
export function checkFieldReferences(field: string, value: unknown, scope: ReferenceScope): void {
  mapStrings(field, value, (text, where) => checkTextReferences(text, where, scope));
}

/** Returns the values that the parameters of a task may refer to. */
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

/** Checks a text and returns it unchanged, because its callers map texts. */
function checkTextReferences(text: string, path: string, scope: ReferenceScope): string {
  for (const part of splitAtReferences(text)) {
    const reason = typeof part === 'string' ? undefined : invalidReasonOf(part, scope);
    if (typeof part !== 'string' && reason !== undefined)
      throw invalid(`${path} refers to ${truncateText(part.source)}; ${reason}.`);
  }
  return text;
}

const unsupportedReasons: ReadonlyMap<string, string> = new Map(Object.entries(unsupportedReferences));
const taskReferenceNames: ReadonlySet<string> = new Set(taskReferences);

/** Returns the reason why a reference never has a value; undefined when it can have one. */
function invalidReasonOf({ name, namespace, args }: Reference, scope: ReferenceScope): string | undefined {
  if (name === undefined)
    return `no such value exists; known values are ${referenceNamesIn(namespace).join(', ') || 'none'}`;
  const unsupported = unsupportedReasons.get(name);
  if (unsupported !== undefined) return unsupported;
  if (taskReferenceNames.has(name) && scope.task === undefined)
    return 'a job parameter has the same value for all tasks and may refer only to values of the run';
  return rules[name]?.(args, scope);
}

type Rule = (args: readonly string[], scope: ReferenceScope) => string | undefined;

const checkTimeArgument: Rule = ([argument = '']) =>
  timeArguments.some((known) => known === argument)
    ? undefined
    : `${quote(argument)} must be one of ${timeArguments.join(', ')}`;

const checkUpstream: Rule = ([key = ''], { task }) => {
  if (task === undefined || task.upstream.has(key)) return undefined;
  if (!task.kinds.has(key)) return `no task has the key ${quote(key)}`;
  if (key === task.key) return 'a task cannot refer to itself';
  return `task ${task.key} does not depend on task ${key}; add ${key} to its depends_on`;
};

/** Rules of the references with arguments, by name. */
const rules: { readonly [name in ReferenceName]?: Rule } = {
  'job.start_time.<argument>': checkTimeArgument,
  'job.trigger.time.<argument>': checkTimeArgument,
  'job.parameters.<parameter>': ([parameter = ''], { parameters }) => {
    if (parameters.includes(parameter)) return undefined;
    return `the job has no parameter ${quote(parameter)}; it has ${parameters.map(quote).join(', ') || 'none'}`;
  },
  'task.notebook_path': (_, { task }) =>
    task?.kind === 'notebook_task' ? undefined : `task ${task?.key ?? mainTaskKey} is not a notebook_task`,
  'tasks.<task>.run_id': checkUpstream,
  'tasks.<task>.result_state': checkUpstream,
  'tasks.<task>.values.<key>': ([key = '', ...rest], scope) => {
    const reason = checkUpstream([key, ...rest], scope);
    if (reason !== undefined || scope.task?.kinds.get(key) === 'notebook_task') return reason;
    return `task ${key} is not a notebook_task, and only notebooks set values`;
  },
};
