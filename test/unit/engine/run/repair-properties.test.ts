/** Repairs of random graphs. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRepair, tasksToRerun } from '../../../../engine/run/repair.ts';
import { rollUp, runConditions, taskStateOf, type RunCondition } from '../../../../engine/run/roll-up.ts';
import type { Run, RunWithTasks } from '../../../../engine/run/run.ts';
import { progressByPhase, type TaskPhase } from './task-states.ts';
import { type Line, runOf, createFound, all } from './repair-samples.ts';
import { stopFor } from '../../../harness/run-stops.ts';

interface Plan {
  readonly upstream: readonly number[];
  readonly runIf: RunCondition;
  readonly ends: TaskPhase;
}

/** Each task depends on earlier ones: every such graph is free of cycles. */
const plans: fc.Arbitrary<readonly Plan[]> = fc.array(
  fc.record({
    upstream: fc.array(fc.nat(), { maxLength: 3 }),
    runIf: fc.constantFrom(...runConditions),
    ends: fc.constantFrom<TaskPhase>('success', 'success', 'failed', 'timedout', 'error'),
  }),
  { minLength: 1, maxLength: 30 },
);

/**
 * Simulates the latest attempts until the run ends. `stopAfter`: number of starts after which it is
 * cancelled.
 */
function simulateRun(
  { run, tasks }: RunWithTasks,
  endOf: (key: string) => TaskPhase,
  stopAfter = Infinity,
): { found: RunWithTasks; result: string } {
  const latest = new Map(tasks.map((taskRun) => [taskRun.taskKey, taskRun]));
  let started = 0;
  for (;;) {
    const states = (run.settings.tasks ?? []).map((task) =>
      taskStateOf(task, latest.get(task.task_key)?.progress ?? progressByPhase.waiting, false),
    );
    const { start, skip, end } = rollUp(states, stopFor(started >= stopAfter ? 'cancel' : undefined));
    if (end !== undefined) {
      const progress: Run['progress'] = {
        ...runOf().progress,
        state: 'TERMINATED',
        result: end.result,
        endTime: 6_000,
      };
      return {
        found: {
          run: { ...run, progress },
          tasks: tasks.map((task) => ({
            ...task,
            progress:
              (latest.get(task.taskKey)?.attempt === task.attempt ? latest.get(task.taskKey) : undefined)
                ?.progress ?? task.progress,
          })),
        },
        result: end.result,
      };
    }
    const move = (key: string, phase: TaskPhase): void => {
      const taskRun = latest.get(key);
      if (taskRun !== undefined) latest.set(key, { ...taskRun, progress: progressByPhase[phase] });
    };
    for (const key of start) {
      move(key, endOf(key));
      started += 1;
    }
    for (const { key } of skip) move(key, 'skipped');
  }
}

test('a run of any graph succeeds after a repair in which all programs succeed', () => {
  fc.assert(
    fc.property(plans, fc.nat(30), fc.boolean(), (plan, stopAfter, dependents) => {
      const lines = plan.map(({ upstream, runIf }, index): Line => [
        `t${index}`,
        ['waiting'],
        index === 0 ? [] : [...new Set(upstream.map((one) => `t${one % index}`))],
        runIf,
      ]);
      const first = simulateRun(
        createFound(lines),
        (key) => plan[Number(key.slice(1))]?.ends ?? 'success',
        stopAfter,
      );
      if (first.result === 'SUCCESS') return;
      const keys = tasksToRerun(first.found, { ...all, includeDependents: dependents });
      const { after, attempts } = createRepair(first.found, {
        keys,
        parameters: {},
        settings: first.found.run.settings,
        parallelTasks: { taskRuns: 1, runJobTasks: 0 },
        admission: { kind: 'start' },
        repairId: 1_000,
        taskRunIds: keys.map((_, index) => 1_001 + index),
        owner: 'n',
        now: 7_000,
      });
      const second = simulateRun({ run: after, tasks: [...first.found.tasks, ...attempts] }, () => 'success');
      expect(second.result).toBe('SUCCESS');
      // Successful tasks do not run again unless dependents are included.
      if (!dependents)
        expect(
          keys.some((key) =>
            first.found.tasks.some((task) => task.taskKey === key && task.progress.result === 'SUCCESS'),
          ),
        ).toBe(false);
    }),
    { numRuns: 500 },
  );
});
