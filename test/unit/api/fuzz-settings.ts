/** Settings that jobs/create accepts: all fields of the schema, and unknown fields. */
import * as fc from 'fast-check';
import { Type, type TSchema } from 'typebox';
import { NewCluster } from '../../../engine/job/cluster.ts';
import type { ApiVersion } from '../../../engine/job/job-format.ts';
import { JobSettings, TaskSettings } from '../../../engine/job/settings.ts';
import { RunJobTask } from '../../../engine/job/task-schemas.ts';
import { taskKindFields, taskKinds, type TaskKind } from '../../../engine/job/task-kinds.ts';
import { knownDestinations } from '../../harness/destinations.ts';
import { arbitraryFor, ordinaryText, withoutUndefined, type LikelyValues } from './fuzz-schema.ts';

const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 8 });
const path = ascii.map((name) => `/${name}`);
const asciiMap = fc.dictionary(ascii, ascii, { maxKeys: 3 });
const addresses = fc.array(fc.stringMatching(/^[a-z0-9._+-]{1,8}@[a-z0-9]{1,8}$/), { maxLength: 3 });
const logDestination = fc.record({ destination: fc.constantFrom('managed_fs:/logs', 'dbfs:/logs') });
const script = fc
  .constantFrom(
    ['workspace', '/a.sh'],
    ['managed_fs', '/a.sh'],
    ['managed_fs', 'dbfs:/a.sh'],
    ['objstore', 'objstore://b/a.sh'],
    ['gcs', 'gs://b/a.sh'],
  )
  .map(([store = '', destination]) => ({ [store]: { destination } }));
const variables = fc.dictionary(
  ascii.filter((name) => name !== '' && !name.includes('=')),
  ascii,
  { maxKeys: 3 },
);
const emails = fc.record(
  {
    on_start: addresses,
    on_success: addresses,
    on_failure: addresses,
    on_duration_warning_threshold_exceeded: addresses,
    no_alert_for_skipped_runs: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** Generators of fields with rules beyond their schema. */
const likely: LikelyValues = new Map<string, fc.Arbitrary<unknown>>([
  ['notebook_path', path],
  ['base_parameters', asciiMap],
  ['python_file', path.map((file) => `managed_fs:${file}`)],
  ['pipeline_id', path],
  ['parameters', fc.array(ascii, { maxLength: 3 })],
  ['email_notifications', emails],
  [
    'webhook_notifications',
    fc.record(
      { on_start: fc.array(fc.constantFrom(...knownDestinations.map((id) => ({ id }))), { maxLength: 3 }) },
      { requiredKeys: [] },
    ),
  ],
  [
    'rules',
    fc.array(
      fc
        .tuple(fc.constantFrom('op', 'operator'), fc.nat())
        .map(([operator, value]) => ({ metric: 'RUN_DURATION_SECONDS', [operator]: 'GREATER_THAN', value })),
      { maxLength: 2 },
    ),
  ],
  ['spark_env_vars', variables],
  ['source', fc.constant('WORKSPACE')],
  [
    'cluster_log_conf',
    fc.constantFrom('managed_fs', 'dbfs').chain((store) => fc.record({ [store]: logDestination })),
  ],
  ['init_scripts', fc.array(script, { maxLength: 2 })],
  ['boot_disk_size', fc.integer({ min: 100, max: 4_096 })],
  ['max_concurrent_runs', fc.integer({ min: 0, max: 1_000 })],
]);

/** Generates objects of a schema with the field generators of `likely`. */
const schemaValues = (schema: TSchema): fc.Arbitrary<object> => arbitraryFor(schema, likely, '').map(Object);

const size = fc.oneof(
  fc.record({ num_workers: fc.nat(8) }),
  fc.nat(8).map((least) => ({ autoscale: { min_workers: least, max_workers: least + 1 } })),
);
const cluster = fc
  .tuple(
    size,
    schemaValues(
      Type.Omit(NewCluster, [
        'num_workers',
        'autoscale',
        'cloud_attributes',
        'placement_attributes',
        'instance_pool_id',
        'policy_id',
        'is_single_node',
        'runtime',
      ]),
    ),
  )
  .map(([sized, rest]) => ({ ...rest, ...sized, spark_version: '16.4.x', node_type_id: 'n' }));

const library = fc.oneof(
  fc.constantFrom('jar', 'egg').chain((kind) => fc.record({ [kind]: ordinaryText })),
  fc.record({ whl: fc.constantFrom('managed_fs:/a-1.0-py3-none-any.whl', 'all.wheelhouse.zip') }),
  fc.record({ pypi: fc.record({ package: ordinaryText }) }),
  fc.record({ maven: fc.record({ coordinates: ordinaryText }) }),
  fc.record({ cran: fc.record({ package: ordinaryText }) }),
);

/** Fields of clients that no schema contains; they are kept and returned. */
const unknown = fc
  .dictionary(
    fc.oneof(
      fc.constantFrom('performance_target', 'budget_policy_id', 'edit_mode', 'größe', 'x y', 'toString'),
      fc.string({ maxLength: 6 }),
    ),
    fc.jsonValue({ maxDepth: 2 }),
    { maxKeys: 2 },
  )
  .map((fields) =>
    Object.fromEntries(
      Object.entries(fields).filter(
        ([key]) => !(key in JobSettings.properties) && key !== '__proto__' && !key.endsWith('_task'),
      ),
    ),
  );

const schedule = fc.record({
  quartz_cron_expression: fc.constantFrom('0 0 12 * * ?', '0 15 10 ? * MON-FRI 2030'),
  timezone_id: fc.constantFrom('UTC', 'Europe/Berlin'),
});
const parameters = fc.uniqueArray(
  fc.record({ name: fc.stringMatching(/^[a-zä ]{0,3}x$/), default: ordinaryText }),
  { maxLength: 3, selector: ({ name }) => name },
);
const general = schemaValues(
  Type.Omit(JobSettings, [
    ...taskKinds,
    'tasks',
    'job_clusters',
    'format',
    'existing_cluster_id',
    'new_cluster',
    'libraries',
    'max_retries',
    'min_retry_interval_millis',
    'retry_on_timeout',
    'schedule',
    'trigger',
    'continuous',
    'run_as',
    'parameters',
  ]),
);
const jobFields = fc
  .tuple(
    general,
    unknown,
    fc.record({
      schedule: fc.option(schedule, { nil: undefined }),
      parameters: fc.option(parameters, { nil: undefined }),
    }),
  )
  .map(([fields, others, special]) => ({ ...others, ...fields, ...withoutUndefined(special) }));

const attempts = fc.record(
  {
    libraries: fc.array(library, { maxLength: 2 }),
    max_retries: fc.integer({ min: -1, max: 3 }),
    retry_on_timeout: fc.boolean(),
  },
  { requiredKeys: [] },
);
const needsNoCluster: ReadonlySet<TaskKind> = new Set(['pipeline_task', 'run_job_task']);

/** Bodies of the kinds; a run_job_task takes the parameters of one kind only. */
const kindSchemas = { ...taskKindFields, run_job_task: Type.Pick(RunJobTask, ['job_id', 'job_parameters']) };

/** Generates task kind and compute of a single-task job or of an entry of `tasks`. */
function taskWorkload(sharedClusters: readonly string[]): fc.Arbitrary<object> {
  const own = cluster.map((new_cluster) => ({ new_cluster }));
  const shared = sharedClusters.map((job_cluster_key) => fc.constant({ job_cluster_key }));
  const ofKind = (kind: TaskKind): fc.Arbitrary<object> => {
    const none = needsNoCluster.has(kind) ? [fc.constant({})] : [];
    const where = fc.oneof(own, fc.constant({ existing_cluster_id: 'c-1' }), ...shared, ...none);
    return fc
      .tuple(fc.record({ [kind]: schemaValues(kindSchemas[kind]) }), where, attempts)
      .map(([does, at, rest]) => ({ ...rest, ...at, ...does }));
  };
  const submitted = {
    new_cluster: { spark_version: '1', node_type_id: 'n', num_workers: 1 },
    spark_submit_task: { parameters: ['--class', 'A', 'a.jar'] },
  };
  return fc.oneof(
    fc.constant(submitted),
    ...taskKinds.filter((kind) => kind !== 'spark_submit_task').map(ofKind),
  );
}

const taskRest = schemaValues(
  Type.Pick(TaskSettings, [
    'description',
    'run_if',
    'email_notifications',
    'webhook_notifications',
    'notification_settings',
    'health',
    'timeout_seconds',
  ]),
);

/** Generates multi-task settings; each task may depend on earlier tasks. */
const multiTask = fc
  .uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), { maxLength: 2 })
  .chain((keys) =>
    fc.record({
      clusters: fc.tuple(
        ...keys.map((job_cluster_key) => cluster.map((new_cluster) => ({ job_cluster_key, new_cluster }))),
      ),
      tasks: fc.uniqueArray(
        fc.record({
          task_key: fc.stringMatching(/^[A-Za-z0-9_-]{1,5}$/),
          work: taskWorkload(keys),
          rest: taskRest,
          on: fc.nat(7),
        }),
        { minLength: 1, maxLength: 4, selector: ({ task_key }) => task_key },
      ),
    }),
  )
  .map(({ clusters, tasks }) => ({
    ...(clusters.length > 0 && { job_clusters: clusters }),
    tasks: tasks.map(({ task_key, work: does, rest, on }, index) => {
      const before = tasks.slice(0, index).filter((_, position) => (on >> position) % 2 === 1);
      return {
        ...rest,
        ...does,
        task_key,
        ...(before.length > 0 && { depends_on: before.map((task) => ({ task_key: task.task_key })) }),
      };
    }),
  }));

/** Generates settings that a version accepts. */
export function acceptedSettings(version: ApiVersion): fc.Arbitrary<object> {
  const shape = version === '2.0' ? fc.oneof(taskWorkload([]), multiTask) : multiTask;
  return fc.tuple(jobFields, shape).map(([job, tasks]) => ({ ...job, ...tasks }));
}

/** Generates bodies that runs/submit accepts in every version. */
export const acceptedSubmission: fc.Arbitrary<object> = fc
  .tuple(
    fc.record(
      { run_name: ordinaryText, idempotency_token: fc.constantFrom('', 's1', 's2', 's3') },
      { requiredKeys: [] },
    ),
    fc.oneof(
      taskWorkload([]),
      fc
        .tuple(taskWorkload([]), taskWorkload([]))
        .map((tasks) => ({ tasks: tasks.map((task, index) => ({ ...task, task_key: `t${index}` })) })),
    ),
  )
  .map(([job, tasks]) => ({ ...job, ...tasks }));
