/** Generators of random cases: jobs with graphs and policies, limits, and commands. */
import * as fc from 'fast-check';
import type { CrashPoint } from './crash-injector.ts';
import type { RunCondition, JobPlan, TaskPlan } from './job-plans.ts';
import type { AttemptEnding } from './reference-model.ts';
import { unlimited } from './reference-capacity.ts';
import type { ModelLimits } from './reference-state.ts';

/** One command. `pick` chooses among the objects that exist by then. */
export type Command = { readonly crash: CrashPoint | undefined } & (
  | {
      readonly kind: 'run';
      readonly job: number;
      readonly token: number | undefined;
      readonly queue: boolean | undefined;
    }
  | { readonly kind: 'submit'; readonly plan: JobPlan }
  | { readonly kind: 'cancel'; readonly pick: number }
  /** Repairs all failed tasks of the run. */
  | {
      readonly kind: 'repair';
      readonly pick: number;
      readonly original: boolean;
      readonly queue: boolean | undefined;
    }
  | { readonly kind: 'cancel all'; readonly job: number }
  | { readonly kind: 'end'; readonly pick: number; readonly ending: AttemptEnding }
  | { readonly kind: 'wait'; readonly milliseconds: number }
  /** Moves to the next due time. */
  | { readonly kind: 'wait for it' }
  | { readonly kind: 'limit'; readonly job: number; readonly most: number }
  /** Changes retries and conditions of all tasks, for future runs and repairs. */
  | {
      readonly kind: 'policies';
      readonly job: number;
      readonly retries: number;
      readonly runIf: RunCondition;
      readonly alertOnLastAttempt: boolean;
    }
  | { readonly kind: 'timeouts'; readonly job: number; readonly run: number; readonly task: number }
  | { readonly kind: 'kill' }
);

export interface GeneratedScenario {
  readonly limits: ModelLimits;
  readonly jobs: readonly JobPlan[];
  readonly commands: readonly Command[];
}

/** Generates the first value most of the time. */
function weightedConstant<Value>(usual: Value, ...others: Value[]): fc.Arbitrary<Value> {
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
}

const policyArbitraries = {
  retries: weightedConstant(0, 1, 2, -1),
  intervalMs: fc.constantFrom(0, 4_137, 20_011),
  retryOnTimeout: fc.boolean(),
  timeoutSeconds: weightedConstant(0, 3, 11),
  healthSeconds: weightedConstant(0, 2, 9),
  alertOnLastAttempt: weightedConstant(false, true),
};
const conditions: readonly RunCondition[] = [
  'ALL_SUCCESS',
  'AT_LEAST_ONE_SUCCESS',
  'NONE_FAILED',
  'ALL_DONE',
  'AT_LEAST_ONE_FAILED',
  'ALL_FAILED',
];

/** Generates tasks that depend on earlier ones. @param jobs number of jobs that a run_job_task may name */
function tasksArbitrary(jobs: number): fc.Arbitrary<TaskPlan[]> {
  const task = fc.record({
    ...policyArbitraries,
    upstream: fc.array(fc.nat(7), { maxLength: 3 }),
    runIf: weightedConstant<RunCondition>('ALL_SUCCESS', ...conditions.slice(1)),
    cluster: fc.constantFrom<TaskPlan['cluster']>('existing', 'own', 'shared'),
    childJobIndex:
      jobs === 0
        ? fc.constant(undefined)
        : weightedConstant<number | undefined>(
            undefined,
            ...Array.from({ length: jobs }, (_, index) => index),
          ),
  });
  return fc.array(task, { minLength: 1, maxLength: 4 }).map((tasks) =>
    tasks.map(({ upstream, ...rest }, index): TaskPlan => ({
      ...rest,
      key: `t${index}`,
      // A child run that cannot start fails at once; unlimited retries would never leave that instant.
      retries: rest.childJobIndex !== undefined && rest.retries === -1 ? 2 : rest.retries,
      dependsOn: index === 0 ? [] : [...new Set(upstream.map((one) => `t${one % index}`))],
    })),
  );
}

/** Generates a job that may run earlier jobs. */
function jobArbitrary(index: number): fc.Arbitrary<JobPlan> {
  return fc
    .record({
      singleTask: fc.boolean(),
      tasks: tasksArbitrary(index),
      timeoutSeconds: weightedConstant(0, 5, 17),
      healthSeconds: policyArbitraries.healthSeconds,
      alertOnLastAttempt: policyArbitraries.alertOnLastAttempt,
      maxConcurrent: weightedConstant(2, 1, 0, 5),
      queue: fc.boolean(),
      muteSkipped: weightedConstant(false, true),
      muteCanceled: weightedConstant(false, true),
    })
    .map(normalizeSingleTask);
}

/** Gives a single-task job one task without conditions and shared clusters. */
function normalizeSingleTask(plan: JobPlan): JobPlan {
  const [first] = plan.tasks;
  if (!plan.singleTask || first === undefined) return plan;
  return {
    ...plan,
    tasks: [
      { ...first, key: 'main', dependsOn: [], cluster: first.cluster === 'shared' ? 'own' : first.cluster },
    ],
  };
}

const crashPointArbitrary = fc.option(
  fc.record({ call: fc.integer({ min: 1, max: 14 }), after: fc.boolean() }),
  { freq: 6, nil: undefined },
);

function commandArbitrary(jobs: number): fc.Arbitrary<Command> {
  const job = fc.nat(jobs - 1);
  const pick = fc.nat(11);
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('run' as const),
        crash: crashPointArbitrary,
        job,
        token: fc.option(fc.nat(2), { freq: 4, nil: undefined }),
        queue: weightedConstant<boolean | undefined>(undefined, true, false),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('submit' as const),
        crash: crashPointArbitrary,
        plan: jobArbitrary(jobs),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('cancel' as const), crash: crashPointArbitrary, pick }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('repair' as const),
        crash: crashPointArbitrary,
        pick,
        original: weightedConstant(false, true),
        queue: weightedConstant<boolean | undefined>(undefined, true, false),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('cancel all' as const), crash: crashPointArbitrary, job }),
    },
    {
      weight: 10,
      arbitrary: fc.record({
        kind: fc.constant('end' as const),
        crash: crashPointArbitrary,
        pick,
        ending: fc.constantFrom<AttemptEnding>('succeeded', 'failed', 'failed', 'lost', 'stopped'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('wait' as const),
        crash: crashPointArbitrary,
        milliseconds: fc.constantFrom(1, 53, 997, 2_203, 5_501, 70_001),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('wait for it' as const), crash: crashPointArbitrary }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('limit' as const),
        crash: crashPointArbitrary,
        job,
        most: fc.constantFrom(0, 1, 2, 5),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('policies' as const),
        crash: crashPointArbitrary,
        job,
        retries: fc.constantFrom(0, 1, 2),
        runIf: fc.constantFrom(...conditions),
        alertOnLastAttempt: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('timeouts' as const),
        crash: crashPointArbitrary,
        job,
        run: fc.constantFrom(0, 5, 23),
        task: fc.constantFrom(0, 2, 13),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const), crash: crashPointArbitrary }) },
  );
}

const limitsArbitrary = fc.record({
  clusterMs: fc.constantFrom(0, 0, 2_311),
  taskRuns: weightedConstant(unlimited, 4, 8),
  runJobTasks: weightedConstant(unlimited, 1, 2),
  depth: weightedConstant(3, 1),
  queueMs: fc.constant(60_000),
});

/** Generates a case with a few jobs. */
export const scenarioArbitrary: fc.Arbitrary<GeneratedScenario> = fc
  .integer({ min: 1, max: 4 })
  .chain((jobs) =>
    fc.record({
      limits: limitsArbitrary,
      jobs: fc.tuple(...Array.from({ length: jobs }, (_, index) => jobArbitrary(index))),
      commands: fc.array(commandArbitrary(jobs), { minLength: 1, maxLength: 40, size: 'max' }),
    }),
  );
