/** Graph of the tasks of a job: validation and topological order. */
import { invalid } from '../errors.ts';
import { quote } from '../validation/messages.ts';

/** Node of the graph. */
export interface GraphTask {
  readonly task_key: string;
  readonly depends_on?: readonly { readonly task_key: string }[];
}

function dependencies(task: GraphTask): string[] {
  return (task.depends_on ?? []).map((dependency) => dependency.task_key);
}

/**
 * Refuses duplicate keys, dependencies on unknown tasks or on the task itself, and cycles.
 * @throws ServiceError INVALID_PARAMETER_VALUE
 */
export function checkGraph(tasks: readonly GraphTask[]): void {
  const indexOf = new Map<string, number>();
  for (const [index, { task_key }] of tasks.entries()) {
    const first = indexOf.get(task_key);
    if (first !== undefined)
      throw invalid(
        `tasks[${index}].task_key is ${quote(task_key)}, the same as in tasks[${first}]; each must be unique.`,
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
 * Returns the tasks in topological order; independent tasks keep their order. Expects known dependencies
 * (checkGraph).
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

/** Returns the keys of all upstream tasks, direct and indirect. */
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

/**
 * Returns the largest number of tasks of which none is upstream of another: so many can run at the same time.
 * Dependencies on tasks that are not in the list do not count.
 * @param isCounted selects the tasks to count
 */
export function graphWidth<T extends GraphTask>(
  tasks: readonly T[],
  isCounted: (task: T) => boolean = () => true,
): number {
  const counted = new Set(tasks.filter(isCounted).map((task) => task.task_key));
  const known = new Set(tasks.map((task) => task.task_key));
  if (counted.size < 2 || !tasks.some((task) => dependencies(task).some((on) => known.has(on))))
    return counted.size;
  const upstream = new Map(
    [...counted].map((key) => [key, [...upstreamOf(key, tasks)].filter((on) => counted.has(on))]),
  );
  // Theorem of Dilworth: as many as the chains that cover all tasks. Each match joins two chains.
  const downstreamOf = new Map<string, string>();
  const match = (key: string, visited: Set<string>): boolean =>
    (upstream.get(key) ?? []).some((on) => {
      if (visited.has(on)) return false;
      visited.add(on);
      const holder = downstreamOf.get(on);
      if (holder !== undefined && !match(holder, visited)) return false;
      downstreamOf.set(on, key);
      return true;
    });
  return counted.size - [...counted].filter((key) => match(key, new Set())).length;
}

/** Finds a cycle by following dependencies until a task repeats. Every waiting task leads to a cycle. */
function findCycle(waiting: readonly GraphTask[]): string[] {
  const byKey = new Map(waiting.map((task) => [task.task_key, task]));
  const path: string[] = [];
  let task = waiting[0];
  while (task !== undefined) {
    const start = path.indexOf(task.task_key);
    path.push(task.task_key);
    if (start >= 0) return path.slice(start);
    task = dependencies(task)
      .map((on) => byKey.get(on))
      .find((next) => next !== undefined);
  }
  return path;
}
