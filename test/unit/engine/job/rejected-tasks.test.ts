/** Refused tasks, job clusters and graphs. Each rule has a row with its exact message. */
import { expect, test } from 'vitest';
import { taskKinds } from '../../../../engine/job/task-kinds.ts';
import { taskBodies, multiTaskJob, newCluster, sampleTask, settingsErrorOf } from './sample-settings.ts';

const { num_workers: _, ...noSize } = newCluster;
const kinds = taskKinds.join(', ');
const incomplete = 'Cluster validation error: Missing required field: settings.cluster_spec.new_cluster';

/** Returns a multi-task job with one task and changed fields. */
function oneTask(extra: object) {
  return { tasks: [{ ...sampleTask('a'), ...extra }] };
}

/** Returns a single-task job of one kind on a new cluster. */
function onNewCluster(kind: object) {
  return { new_cluster: newCluster, ...kind };
}

test.each<[string, object, string]>([
  [
    'a notebook path without slash',
    onNewCluster({ notebook_task: { notebook_path: 'Users/a' } }),
    'notebook_task.notebook_path is "Users/a"; it must be an absolute path that starts with a slash.',
  ],
  [
    'a notebook without path',
    onNewCluster({ notebook_task: {} }),
    'Missing required field: notebook_task.notebook_path.',
  ],
  [
    'an empty notebook path',
    oneTask({ notebook_task: { notebook_path: '' } }),
    'Missing required field: tasks[0].notebook_task.notebook_path.',
  ],
  [
    'a non-ASCII notebook parameter',
    oneTask({ notebook_task: { notebook_path: '/a', base_parameters: { p: 'é' } } }),
    'tasks[0].notebook_task.base_parameters.p is "é"; only ASCII characters are allowed.',
  ],
  [
    'a notebook parameter that is not a string',
    onNewCluster({ notebook_task: { notebook_path: '/a', base_parameters: { p: 5 } } }),
    'Could not parse request object: Expected string for field notebook_task.base_parameters.p, found NUMBER',
  ],
  [
    'a value that is not a string under a name with a line break',
    onNewCluster({ notebook_task: { notebook_path: '/a', base_parameters: { 'p\nq': 5 } } }),
    'Could not parse request object: Expected string for field notebook_task.base_parameters.p\nq, found NUMBER',
  ],
  [
    'an empty Python file',
    onNewCluster({ spark_python_task: { python_file: '' } }),
    'Missing required field: spark_python_task.python_file.',
  ],
  [
    'an empty pipeline',
    { pipeline_task: { pipeline_id: '' } },
    'Missing required field: pipeline_task.pipeline_id.',
  ],
  ['a job to run that is missing', { run_job_task: {} }, 'Missing required field: run_job_task.job_id.'],
  [
    'a job to run below 0',
    { run_job_task: { job_id: -1 } },
    'run_job_task.job_id is -1; it must be at least 1.',
  ],
  [
    'job 0, which never exists',
    { run_job_task: { job_id: 0 } },
    'run_job_task.job_id is 0; it must be at least 1.',
  ],
  [
    'two kinds of parameters for a job',
    { run_job_task: { job_id: 7, jar_params: ['a'], notebook_params: { a: 'b' } } },
    'run_job_task.jar_params and run_job_task.notebook_params are given; only the parameters of one task kind are allowed.',
  ],
  [
    'a non-ASCII notebook parameter for a job',
    { tasks: [{ task_key: 'a', run_job_task: { job_id: 7, notebook_params: { a: 'é' } } }] },
    'tasks[0].run_job_task.notebook_params.a is "é"; only ASCII characters are allowed.',
  ],
  [
    'a non-ASCII Python parameter for a job',
    { run_job_task: { job_id: 7, python_params: ['é'] } },
    'run_job_task.python_params[0] is "é"; only ASCII characters are allowed.',
  ],
  [
    'a reserved submit option for a job',
    { run_job_task: { job_id: 7, spark_submit_params: ['--master', 'local'] } },
    'run_job_task.spark_submit_params[0] is --master; it is set by the service and must not be given.',
  ],
  [
    'more than 10,000 bytes of parameters for a job',
    { run_job_task: { job_id: 7, jar_params: ['x'.repeat(9997)] } },
    'run_job_task.jar_params is 10001 bytes of JSON; at most 10000 are allowed.',
  ],
  [
    'more than 10,000 bytes of job parameters for a job',
    { run_job_task: { job_id: 7, job_parameters: { a: 'x'.repeat(9993) } } },
    'run_job_task.job_parameters is 10001 bytes of JSON; at most 10000 are allowed.',
  ],
  [
    'a submit task with --master',
    onNewCluster({ spark_submit_task: { parameters: ['--conf', 'a=b', '--master', 'local', 'a.jar'] } }),
    'spark_submit_task.parameters[2] is --master; it is set by the service and must not be given.',
  ],
  [
    'a submit task with --deploy-mode=',
    onNewCluster({ spark_submit_task: { parameters: ['--deploy-mode=cluster', 'a.jar'] } }),
    'spark_submit_task.parameters[0] is --deploy-mode; it is set by the service and must not be given.',
  ],
  [
    'a submit task with a property for --executor-cores',
    onNewCluster({ spark_submit_task: { parameters: ['--conf', 'spark.executor.cores=2', 'a.jar'] } }),
    'spark_submit_task.parameters[1] sets spark.executor.cores; it is set by the service and must not be given.',
  ],
  [
    'a submit task with --conf=spark.master',
    onNewCluster({ spark_submit_task: { parameters: ['-v', '--conf=spark.master=local'] } }),
    'spark_submit_task.parameters[1] sets spark.master; it is set by the service and must not be given.',
  ],
  [
    'a submit task with --executor-cores',
    oneTask({ notebook_task: undefined, spark_submit_task: { parameters: ['-v', '--executor-cores', '2'] } }),
    'tasks[0].spark_submit_task.parameters[1] is --executor-cores; it is set by the service and must not be given.',
  ],
  [
    'a submit task on an existing cluster',
    { existing_cluster_id: 'c', spark_submit_task: {} },
    'existing_cluster_id is given; spark_submit_task runs only on a new_cluster.',
  ],
  [
    'a submit task with libraries',
    onNewCluster({ spark_submit_task: {}, libraries: [{ jar: 'a' }] }),
    'libraries is given; spark_submit_task takes libraries only as --jars, --py-files and --files in its parameters.',
  ],
  [
    'a submit task with spark_conf',
    { spark_submit_task: {}, new_cluster: { ...newCluster, spark_conf: { a: 'b' } } },
    'new_cluster.spark_conf is given; spark_submit_task takes configuration only as --conf in its parameters.',
  ],
])('spec 2.7: %s is refused', (_name, settings, message) => {
  expect(settingsErrorOf(JSON.parse(JSON.stringify(settings)))).toBe(message);
});

test.each<[string, object, string]>([
  [
    '101 tasks',
    { tasks: Array.from({ length: 101 }, (_entry, index) => sampleTask(`t${index}`)) },
    'tasks has 101 entries; at most 100 are allowed.',
  ],
  [
    '101 job clusters',
    multiTaskJob({
      job_clusters: Array.from({ length: 101 }, (_entry, index) => ({
        job_cluster_key: `k${index}`,
        new_cluster: newCluster,
      })),
    }),
    'job_clusters has 101 entries; at most 100 are allowed.',
  ],
  [
    'a duplicate job_cluster_key',
    multiTaskJob({
      job_clusters: [
        { job_cluster_key: 'k', new_cluster: newCluster },
        { job_cluster_key: 'k', new_cluster: newCluster },
      ],
    }),
    'job_clusters[1].job_cluster_key is "k", the same as in job_clusters[0]; each must be unique.',
  ],
  [
    'an unknown job_cluster_key',
    { tasks: [{ task_key: 'a', job_cluster_key: 'x', notebook_task: taskBodies.notebook_task }] },
    'tasks[0].job_cluster_key is "x"; no entry of job_clusters has this key.',
  ],
  [
    'libraries in a job cluster',
    multiTaskJob({
      job_clusters: [{ job_cluster_key: 'k', new_cluster: newCluster, libraries: [{ jar: 'a' }] }],
    }),
    'job_clusters[0].libraries is given; libraries are configured in the tasks, never on a shared job cluster.',
  ],
  [
    'libraries in its new_cluster',
    multiTaskJob({
      job_clusters: [{ job_cluster_key: 'k', new_cluster: { ...newCluster, libraries: [{ jar: 'a' }] } }],
    }),
    'job_clusters[0].new_cluster.libraries is given; libraries are configured in the tasks, never on a shared job cluster.',
  ],
  [
    'an incomplete job cluster',
    multiTaskJob({ job_clusters: [{ job_cluster_key: 'k', new_cluster: noSize }] }),
    `${incomplete}.size (job_clusters[0].new_cluster)`,
  ],
  [
    'a job cluster without cluster',
    multiTaskJob({ job_clusters: [{ job_cluster_key: 'k' }] }),
    'Missing required field: job_clusters[0].new_cluster.',
  ],
  [
    'a submit task on a shared cluster',
    multiTaskJob({
      job_clusters: [{ job_cluster_key: 'k', new_cluster: newCluster }],
      tasks: [{ task_key: 'a', job_cluster_key: 'k', spark_submit_task: {} }],
    }),
    'tasks[0].job_cluster_key is given; tasks[0].spark_submit_task runs only on a new_cluster.',
  ],
  [
    'a task without key',
    { tasks: [{ notebook_task: taskBodies.notebook_task }] },
    'Missing required field: tasks[0].task_key.',
  ],
  [
    'a task key with a space',
    { tasks: [sampleTask('a b')] },
    'tasks[0].task_key is "a b"; it must match ^[A-Za-z0-9_-]{1,100}$.',
  ],
  [
    'a task key with a line break',
    { tasks: [sampleTask('a\n')] },
    'tasks[0].task_key is "a\\n"; it must match ^[A-Za-z0-9_-]{1,100}$.',
  ],
  [
    'a long task key',
    { tasks: [sampleTask('x'.repeat(101))] },
    `tasks[0].task_key is "${'x'.repeat(79)}...; it must match ^[A-Za-z0-9_-]{1,100}$.`,
  ],
  [
    'a task without kind',
    { tasks: [{ task_key: 'a', new_cluster: newCluster }] },
    `tasks[0] has none of ${kinds}; exactly one is required.`,
  ],
  [
    'two kinds in a task',
    oneTask({ run_job_task: { job_id: 1 } }),
    `tasks[0] has notebook_task and run_job_task; exactly one of ${kinds} is allowed.`,
  ],
  [
    'an unknown kind together with a known one',
    oneTask({ condition_task: { op: 'EQUAL_TO' } }),
    `tasks[0].condition_task is not a task kind of this service; the known kinds are ${kinds}.`,
  ],
  [
    'an unknown run_if',
    oneTask({ run_if: 'NEVER' }),
    'tasks[0].run_if is "NEVER"; it must be one of ALL_SUCCESS, AT_LEAST_ONE_SUCCESS, NONE_FAILED, ALL_DONE, AT_LEAST_ONE_FAILED, ALL_FAILED.',
  ],
  [
    'a cycle',
    { tasks: [sampleTask('a', 'b'), sampleTask('b', 'a')] },
    'tasks: depends_on must not form a cycle, but it does: a -> b -> a.',
  ],
  [
    'tasks that are not a list',
    { tasks: {} },
    'Could not parse request object: Expected array for field tasks, found OBJECT',
  ],
])('spec 2.3, 2.4, 8: %s is refused', (_name, settings, message) => {
  expect(settingsErrorOf(settings, '2.1')).toBe(message);
});
