/** Validation and topological order of the task graph. */
import { expect, test } from 'vitest';
import {
  checkGraph,
  graphWidth,
  topologicalOrder,
  type GraphTask,
} from '../../../../engine/job/task-graph.ts';

/** `graph('a', 'b<a')`: b depends on a. */
function graph(...lines: string[]): GraphTask[] {
  return lines.map((line) => {
    const [task_key = '', ...on] = line.split(/[<,]/);
    return { task_key, depends_on: on.map((key) => ({ task_key: key })) };
  });
}

test.each([
  [
    'a duplicate key',
    graph('a', 'b', 'a'),
    'tasks[2].task_key is "a", the same as in tasks[0]; each must be unique.',
  ],
  [
    'an unknown dependency',
    graph('a', 'b<a,x'),
    'tasks[1].depends_on[1].task_key is "x"; no task has this key.',
  ],
  [
    'a task that depends on itself',
    graph('a<a'),
    'tasks[0].depends_on[0].task_key is "a", the task itself; a task may depend on other tasks only.',
  ],
  [
    'a cycle of two',
    graph('a<b', 'b<a'),
    'tasks: depends_on must not form a cycle, but it does: a -> b -> a.',
  ],
  [
    'a cycle behind a tail',
    graph('start', 'tail<c', 'c<d', 'd<e', 'e<c,start'),
    'tasks: depends_on must not form a cycle, but it does: c -> d -> e -> c.',
  ],
])('spec 2.3 depends_on: %s is refused with a message that names it', (_, tasks, message) => {
  expect(() => checkGraph(tasks)).toThrow(message);
});

test.each([
  ['tasks without dependencies keep their order', graph('c', 'a', 'b'), 'c a b'],
  ['a chain in reverse order', graph('c<b', 'b<a', 'a'), 'a b c'],
  ['a diamond', graph('end<l,r', 'l<top', 'r<top', 'top'), 'top l r end'],
  ['a repeated dependency', graph('b<a,a', 'a'), 'a b'],
  [
    'keys named like members of Object.prototype',
    graph('constructor<__proto__', '__proto__'),
    '__proto__ constructor',
  ],
])('spec 2.3 depends_on: %s: every task comes after its dependencies', (_, tasks, order) => {
  checkGraph(tasks);
  expect(
    topologicalOrder(tasks)
      .map((task) => task.task_key)
      .join(' '),
  ).toBe(order);
});

test('a task without depends_on is a root', () => {
  expect(
    topologicalOrder([{ task_key: 'b', depends_on: [{ task_key: 'a' }] }, { task_key: 'a' }]),
  ).toHaveLength(2);
});

test.each<[string, GraphTask[], number]>([
  ['no task', [], 0],
  ['independent tasks', graph('a', 'b', 'c'), 3],
  ['a chain', graph('a', 'b<a', 'c<b', 'd<c', 'e<d'), 1],
  ['a diamond', graph('a', 'b<a', 'c<a', 'd<b,c'), 2],
  ['a dependency on a task that does not run', graph('b<a', 'c<b'), 1],
  ['two chains that cross', graph('a', 'b', 'c<a,b', 'd<b', 'e<c', 'f<c,d'), 2],
  ['wide in the middle', graph('a', 'b<a', 'c<a', 'd<a', 'e<b,c,d', 'f<e'), 3],
  ['wider across levels than in one', graph('a', 'b<a', 'c<b', 'x', 'y', 'z<x,y'), 3],
])('spec 8: tasks that can run at the same time: %s', (_name, tasks, width) => {
  expect(graphWidth(tasks)).toBe(width);
  expect(graphWidth(tasks.toReversed())).toBe(width);
});

test('spec 8: of selected tasks, those that wait for each other through others count once', () => {
  const tasks = graph('a', 'b<a', 'c<b', 'd');
  expect(graphWidth(tasks, ({ task_key: key }) => key !== 'b')).toBe(2);
  expect(graphWidth(tasks, ({ task_key: key }) => key === 'a' || key === 'c')).toBe(1);
});
