/** Random worlds: jobs with their graphs and policies, limits, and what happens in them. */
import * as fc from 'fast-check';
import type { Crash } from './engine-life.ts';
import type { Condition, JobPlan, TaskPlan } from './plans.ts';
import type { Ending } from './reference.ts';
import { plenty } from './reference-admission.ts';
import type { WorldLimits } from './reference-state.ts';

/** One thing that happens. `pick` chooses among what there is by then. */
export type Command = { readonly crash: Crash | undefined } & (
  | {
      readonly kind: 'run';
      readonly job: number;
      readonly token: number | undefined;
      readonly queue: boolean | undefined;
    }
  | { readonly kind: 'submit'; readonly plan: JobPlan }
  | { readonly kind: 'cancel'; readonly pick: number }
  /** Everything in it that failed runs again. */
  | { readonly kind: 'repair'; readonly pick: number }
  | { readonly kind: 'cancel all'; readonly job: number }
  | { readonly kind: 'end'; readonly pick: number; readonly ending: Ending }
  | { readonly kind: 'wait'; readonly milliseconds: number }
  /** Until the next thing is due. */
  | { readonly kind: 'wait for it' }
  | { readonly kind: 'limit'; readonly job: number; readonly most: number }
  | { readonly kind: 'timeouts'; readonly job: number; readonly run: number; readonly task: number }
  | { readonly kind: 'kill' }
);

export interface RandomWorld {
  readonly limits: WorldLimits;
  readonly jobs: readonly JobPlan[];
  readonly commands: readonly Command[];
}

/** The first value most of the time. */
function mostly<Value>(usual: Value, ...others: Value[]): fc.Arbitrary<Value> {
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
}

const policy = {
  retries: mostly(0, 1, 2, -1),
  intervalMs: fc.constantFrom(0, 4_137, 20_011),
  retryOnTimeout: fc.boolean(),
  timeoutSeconds: mostly(0, 3, 11),
  healthSeconds: mostly(0, 2, 9),
  lastOnly: mostly(false, true),
};
const conditions: readonly Condition[] = [
  'ALL_SUCCESS',
  'AT_LEAST_ONE_SUCCESS',
  'NONE_FAILED',
  'ALL_DONE',
  'AT_LEAST_ONE_FAILED',
  'ALL_FAILED',
];

/** Tasks, each depending on earlier ones. @param jobs how many jobs there are that a run_job_task may name */
function tasksArbitrary(jobs: number): fc.Arbitrary<TaskPlan[]> {
  const task = fc.record({
    ...policy,
    upstream: fc.array(fc.nat(7), { maxLength: 3 }),
    runIf: mostly<Condition>('ALL_SUCCESS', ...conditions.slice(1)),
    cluster: fc.constantFrom<TaskPlan['cluster']>('existing', 'own', 'shared'),
    child:
      jobs === 0
        ? fc.constant(undefined)
        : mostly<number | undefined>(undefined, ...Array.from({ length: jobs }, (_, index) => index)),
  });
  return fc.array(task, { minLength: 1, maxLength: 4 }).map((tasks) =>
    tasks.map(({ upstream, ...rest }, index): TaskPlan => ({
      ...rest,
      key: `t${index}`,
      // A run that cannot start fails at once: without end and interval it would be tried for ever in one
      // instant.
      retries: rest.child !== undefined && rest.retries === -1 ? 2 : rest.retries,
      dependsOn: index === 0 ? [] : [...new Set(upstream.map((one) => `t${one % index}`))],
    })),
  );
}

/** A job that may run the jobs before it. */
function jobArbitrary(index: number): fc.Arbitrary<JobPlan> {
  return fc
    .record({
      single: fc.boolean(),
      tasks: tasksArbitrary(index),
      timeoutSeconds: mostly(0, 5, 17),
      healthSeconds: policy.healthSeconds,
      lastOnly: policy.lastOnly,
      maxConcurrent: mostly(2, 1, 0, 5),
      queue: fc.boolean(),
      muteSkipped: mostly(false, true),
      muteCanceled: mostly(false, true),
    })
    .map(formed);
}

/** A single-task job has one task without conditions, and no clusters to share. */
function formed(plan: JobPlan): JobPlan {
  const [first] = plan.tasks;
  if (!plan.single || first === undefined) return plan;
  return {
    ...plan,
    tasks: [
      { ...first, key: 'main', dependsOn: [], cluster: first.cluster === 'shared' ? 'own' : first.cluster },
    ],
  };
}

const crash = fc.option(fc.record({ call: fc.integer({ min: 1, max: 14 }), after: fc.boolean() }), {
  freq: 6,
  nil: undefined,
});

function commandArbitrary(jobs: number): fc.Arbitrary<Command> {
  const job = fc.nat(jobs - 1);
  const pick = fc.nat(11);
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('run' as const),
        crash,
        job,
        token: fc.option(fc.nat(2), { freq: 4, nil: undefined }),
        queue: mostly<boolean | undefined>(undefined, true, false),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('submit' as const), crash, plan: jobArbitrary(jobs) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), crash, pick }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('repair' as const), crash, pick }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel all' as const), crash, job }) },
    {
      weight: 10,
      arbitrary: fc.record({
        kind: fc.constant('end' as const),
        crash,
        pick,
        ending: fc.constantFrom<Ending>('succeeded', 'failed', 'failed', 'lost', 'stopped'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('wait' as const),
        crash,
        milliseconds: fc.constantFrom(1, 53, 997, 2_203, 5_501, 70_001),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait for it' as const), crash }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('limit' as const),
        crash,
        job,
        most: fc.constantFrom(0, 1, 2, 5),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('timeouts' as const),
        crash,
        job,
        run: fc.constantFrom(0, 5, 23),
        task: fc.constantFrom(0, 2, 13),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const), crash }) },
  );
}

const limits = fc.record({
  clusterMs: fc.constantFrom(0, 0, 2_311),
  taskRuns: mostly(plenty, 4, 8),
  runJobTasks: mostly(plenty, 1, 2),
  depth: mostly(3, 1),
  queueMs: fc.constant(60_000),
});

/** A world with a few jobs. */
export const worlds: fc.Arbitrary<RandomWorld> = fc
  .integer({ min: 1, max: 4 })
  .chain((jobs) =>
    fc.record({
      limits,
      jobs: fc.tuple(...Array.from({ length: jobs }, (_, index) => jobArbitrary(index))),
      commands: fc.array(commandArbitrary(jobs), { minLength: 1, maxLength: 40, size: 'max' }),
    }),
  );
