/** Whole lives of random graphs: what holds whatever the tasks come to, and in whatever order. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isTerminal, type StopReason } from '../../../../engine/run/states.ts';
import {
  rollUp,
  runConditions,
  type RollUp,
  type RunCondition,
  type TaskState,
} from '../../../../engine/run/roll-up.ts';
import { progressByPhase, type TaskPhase } from './task-states.ts';
import { stopFor } from '../../../harness/run-stops.ts';

interface Plan {
  readonly dependsOn: readonly string[];
  readonly runIf: RunCondition;
  /** Phase at the end unless the run is stopped. */
  readonly ends: TaskPhase;
  /** Which of the started tasks ends next. */
  readonly pick: number;
}

const ends = fc.constantFrom<TaskPhase>('success', 'success', 'success', 'failed', 'timedout', 'error');

/** Up to 100 tasks, each depending on earlier ones: every such graph is free of cycles. */
const plans = fc
  .array(
    fc.record({
      upstream: fc.array(fc.nat(), { maxLength: 4 }),
      runIf: fc.constantFrom(...runConditions),
      ends,
      pick: fc.nat(),
    }),
    { minLength: 1, maxLength: 100, size: 'max' },
  )
  .map((tasks) =>
    tasks.map(({ upstream, ...rest }, index): Plan => ({
      ...rest,
      dependsOn: index === 0 ? [] : [...new Set(upstream.map((one) => `t${one % index}`))],
    })),
  );

interface Life {
  readonly tasks: Map<string, TaskState>;
  readonly startedTogether: string[][];
  readonly endedTimes: Map<string, number>;
  readonly end: RollUp['end'];
}

/**
 * Lives a run to its end, checking every step. `stopAt`: the number of task ends after which it is stopped.
 */
function live(plan: readonly Plan[], stopAt: number, reason: StopReason): Life {
  const tasks = new Map(
    plan.map(({ dependsOn, runIf }, index): [string, TaskState] => [
      `t${index}`,
      { key: `t${index}`, dependsOn, runIf, progress: progressByPhase.waiting, started: false },
    ]),
  );
  const endedTimes = new Map<string, number>();
  const startedTogether: string[][] = [];
  const change = (key: string, place: TaskPhase, started: boolean): void => {
    const task = tasks.get(key);
    if (task === undefined) throw new Error(`The roll-up named the unknown task ${key}.`);
    if (isTerminal(progressByPhase[place].state)) endedTimes.set(key, (endedTimes.get(key) ?? 0) + 1);
    tasks.set(key, { ...task, progress: progressByPhase[place], started });
  };
  for (let ended = 0; ; ended += 1) {
    const stopReason = ended >= stopAt ? reason : undefined;
    for (;;) {
      const { start, skip, end } = rollUp([...tasks.values()], stopFor(stopReason));
      if (end !== undefined) return { tasks, startedTogether, endedTimes, end };
      if (stopReason !== undefined) expect(start).toEqual([]);
      for (const key of start) {
        const task = tasks.get(key);
        expect(task?.started).toBe(false);
        expect(task?.dependsOn.every((one) => isTerminal(tasks.get(one)?.progress.state ?? 'PENDING'))).toBe(
          true,
        );
        change(key, 'running', true);
      }
      if (start.length > 0) startedTogether.push([...start]);
      for (const { key } of skip) change(key, 'skipped', false);
      if (skip.length === 0) break;
    }
    const underWay = [...tasks.values()].filter((task) => task.started && !isTerminal(task.progress.state));
    const [first] = underWay;
    if (first === undefined) throw new Error('The run is stuck: nothing is under way, and it does not end.');
    const { pick, ends: own } = plan[ended % plan.length] ?? { pick: 0, ends: 'success' as const };
    const { key } = underWay[pick % underWay.length] ?? first;
    const planned = plan[Number(key.slice(1))]?.ends ?? own;
    change(key, stopReason === undefined ? planned : 'canceled', true);
  }
}

test('every task ends once, starts after all its dependencies and not after a stop, and the run ends', () => {
  fc.assert(
    fc.property(
      plans,
      fc.nat(150),
      fc.constantFrom('cancel' as const, 'timeout' as const),
      (plan, stopAt, reason) => {
        const { endedTimes, tasks } = live(plan, stopAt, reason);
        expect([...endedTimes.values()]).toEqual(plan.map(() => 1));
        expect([...tasks.values()].every((task) => isTerminal(task.progress.state))).toBe(true);
      },
    ),
    { numRuns: 150 },
  );
});

test('tasks without dependencies start together', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const roots = plan.flatMap(({ dependsOn }, index) => (dependsOn.length === 0 ? [`t${index}`] : []));
      expect(live(plan, Infinity, 'cancel').startedTogether[0]).toEqual(roots);
    }),
    { numRuns: 50 },
  );
});

test('a run without failures and without run_if for failures starts all its tasks and succeeds', () => {
  const good = plans.map((plan) =>
    plan.map((task): Plan => ({
      ...task,
      ends: 'success',
      runIf: task.runIf.endsWith('FAILED') ? 'ALL_SUCCESS' : task.runIf,
    })),
  );
  fc.assert(
    fc.property(good, (plan) => {
      const { startedTogether, end } = live(plan, Infinity, 'cancel');
      expect(startedTogether.flat()).toHaveLength(plan.length);
      expect(end).toEqual({ result: 'SUCCESS', message: '' });
    }),
    { numRuns: 50 },
  );
});

test('a run stopped before one of its tasks could start does not succeed', () => {
  const chain = fc
    .array(
      fc.record({
        ends: fc.constant<TaskPhase>('success'),
        pick: fc.nat(),
        runIf: fc.constantFrom<RunCondition>(
          'ALL_SUCCESS',
          'NONE_FAILED',
          'ALL_DONE',
          'AT_LEAST_ONE_SUCCESS',
        ),
      }),
      { minLength: 2, maxLength: 30 },
    )
    .map((tasks) =>
      tasks.map((task, index): Plan => ({ ...task, dependsOn: index === 0 ? [] : [`t${index - 1}`] })),
    );
  fc.assert(
    fc.property(chain, fc.nat(), (plan, stopAt) => {
      const { end } = live(plan, stopAt % plan.length, 'cancel');
      expect(end?.result).toBe('CANCELED');
    }),
    { numRuns: 100 },
  );
});

test('the result of the run does not depend on the order in which tasks end', () => {
  fc.assert(
    fc.property(plans, fc.array(fc.nat(), { minLength: 100, maxLength: 100 }), (plan, picks) => {
      const other = plan.map((task, index) => ({ ...task, pick: picks[index] ?? 0 }));
      expect(live(other, Infinity, 'cancel').end).toEqual(live(plan, Infinity, 'cancel').end);
    }),
    { numRuns: 50 },
  );
});
