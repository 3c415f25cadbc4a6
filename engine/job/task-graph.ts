/** The graph that depends_on draws: what makes it invalid, and an order in which its tasks may run. */
import { invalid } from '../errors.ts';
import { quote } from '../validation/messages.ts';

/** As much of a task as its place in the graph needs. */
export interface GraphTask {
  readonly task_key: string;
  readonly depends_on?: readonly { readonly task_key: string }[];
}

function dependencies(task: GraphTask): string[] {
  return (task.depends_on ?? []).map((dependency) => dependency.task_key);
}

/**
 * Refuses duplicate keys, dependencies on unknown tasks or on the task itself, and cycles; the message names
 * them.
 * @throws ServiceError INVALID_PARAMETER_VALUE
 */
export function checkGraph(tasks: readonly GraphTask[]): void {
  const indexOf = new Map<string, number>();
  for (const [index, { task_key }] of tasks.entries()) {
    const first = indexOf.get(task_key);
    if (first !== undefined)
      throw invalid(
        `tasks[${index}].task_key is ${quote(task_key)}, as is that of tasks[${first}]; each must be unique.`,
      );
    indexOf.set(task_key, index);
  }
  for (const [index, task] of tasks.entries()) checkDependencies(task, index, indexOf);
  topologicalOrder(tasks);
}

function checkDependencies(task: GraphTask, index: number, known: ReadonlyMap<string, number>): void {
  for (const [position, on] of dependencies(task).entries()) {
    const found = `tasks[${index}].depends_on[${position}].task_key is ${quote(on)}`;
    if (on === task.task_key)
      throw invalid(`${found}, the task itself; a task may depend on other tasks only.`);
    if (!known.has(on)) throw invalid(`${found}; no task has this key.`);
  }
}

/**
 * The tasks in an order in which each comes after all it depends on; apart from that the order given is kept.
 * Expects known dependencies (checkGraph).
 * @throws ServiceError INVALID_PARAMETER_VALUE that names a cycle, each task before the one it depends on
 */
export function topologicalOrder<T extends GraphTask>(tasks: readonly T[]): T[] {
  const ordered: T[] = [];
  const done = new Set<string>();
  let waiting = [...tasks];
  while (waiting.length > 0) {
    const ready = waiting.filter((task) => dependencies(task).every((on) => done.has(on)));
    if (ready.length === 0)
      throw invalid(
        `tasks: depends_on must not form a cycle, but it does: ${findCycle(waiting).join(' -> ')}.`,
      );
    for (const task of ready) done.add(task.task_key);
    ordered.push(...ready);
    waiting = waiting.filter((task) => !done.has(task.task_key));
  }
  return ordered;
}

/**
 * Keys of all tasks that are over when this one starts: those it depends on, those these depend on, and so
 * on.
 */
export function upstreamOf(key: string, tasks: readonly GraphTask[]): Set<string> {
  const byKey = new Map(tasks.map((task) => [task.task_key, task]));
  const found = new Set<string>();
  const visit = (task: GraphTask | undefined): void => {
    for (const on of task === undefined ? [] : dependencies(task)) {
      if (found.has(on)) continue;
      found.add(on);
      visit(byKey.get(on));
    }
  };
  visit(byKey.get(key));
  return found;
}

/** Walks from task to dependency among tasks that all wait for each other until one comes up again. */
function findCycle(waiting: readonly GraphTask[]): string[] {
  const byKey = new Map(waiting.map((task) => [task.task_key, task]));
  const walked: string[] = [];
  let task = waiting[0];
  while (task !== undefined) {
    const start = walked.indexOf(task.task_key);
    walked.push(task.task_key);
    if (start >= 0) return walked.slice(start);
    task = dependencies(task)
      .map((on) => byKey.get(on))
      .find((next) => next !== undefined);
  }
  return walked;
}
