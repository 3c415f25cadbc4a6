/** Faults of clusters, libraries, JARs and submitted applications. */
import { cluster, python, task, waitUntilRunning, type Fault } from './fault.ts';

const newCluster = (more: object = {}): object => ({
  new_cluster: { spark_version: '16.4.x-scala2.12', node_type_id: 'standard-2', num_workers: 0, ...more },
});
const ok = { spark_python_task: { python_file: 'managed_fs:/ok.py' } };
const wait = { spark_python_task: { python_file: 'managed_fs:/wait.py' } };
const files = { '/ok.py': 'print(1)\n', '/wait.py': 'import time\ntime.sleep(600)\n' };

export const clusterFaults: readonly Fault[] = [
  {
    name: 'a package does not exist, and its index is away',
    code: 'DEPENDENCY',
    cause:
      'Library installation failed for library due to user error. Error messages: pypi no-such-package-xyz==1.0',
    place: 'pypi no-such-package-xyz==1.0',
    nextStep:
      'Check name and version in the libraries of the task, then start the run again. If the name is right, check that the service can reach http://127.0.0.1:1/simple.',
    files,
    job: {
      ...newCluster(),
      ...ok,
      libraries: [{ pypi: { package: 'no-such-package-xyz==1.0', repo: 'http://127.0.0.1:1/simple' } }],
    },
  },
  {
    name: 'the file of a wheel is missing',
    code: 'DEPENDENCY',
    cause: 'Library installation failed',
    place: 'managed_fs:/none-1.0-py3-none-any.whl',
    nextStep: 'Upload the file, or correct its path in the libraries of the task',
    files,
    job: { ...newCluster(), ...ok, libraries: [{ whl: 'managed_fs:/none-1.0-py3-none-any.whl' }] },
  },
  {
    name: 'a wheel is not a zip archive',
    code: 'DEPENDENCY',
    cause: 'not a zip archive',
    place: 'managed_fs:/bad-1.0-py3-none-any.whl',
    nextStep: 'Correct the file or its path in the libraries of the task',
    files: { ...files, '/bad-1.0-py3-none-any.whl': 'this is text' },
    job: { ...newCluster(), ...ok, libraries: [{ whl: 'managed_fs:/bad-1.0-py3-none-any.whl' }] },
  },
  {
    name: 'the file of a JAR is missing',
    code: 'DEPENDENCY',
    cause: 'Library installation failed',
    place: 'managed_fs:/none.jar',
    nextStep: 'Upload the file, or correct its path in the libraries of the task',
    job: {
      ...newCluster(),
      spark_jar_task: { main_class_name: 'Main' },
      libraries: [{ jar: 'managed_fs:/none.jar' }],
    },
  },
  {
    name: 'an init script fails',
    code: 'CLUSTER',
    cause: 'Init script managed_fs:/init.sh (1 of 1) ended with exit code 4: no driver found',
    place: 'managed_fs:/init.sh',
    nextStep: 'Correct the init script, then start the run again.',
    files: { ...files, '/init.sh': 'echo "no driver found" >&2\nexit 4\n' },
    job: { ...newCluster({ init_scripts: [{ managed_fs: { destination: 'managed_fs:/init.sh' } }] }), ...ok },
  },
  {
    name: 'an init script is missing',
    code: 'CLUSTER',
    cause: 'Init script managed_fs:/none.sh (1 of 1) could not be run',
    place: 'managed_fs:/none.sh',
    nextStep: 'Correct the init script',
    job: { ...newCluster({ init_scripts: [{ managed_fs: { destination: 'managed_fs:/none.sh' } }] }), ...ok },
  },
  {
    name: 'a cluster needs more nodes than its pool has',
    code: 'CLUSTER',
    cause: 'It needs 6 nodes (1 driver + 5 workers), but the pool "pair" has only 2',
    place: 'the pool "pair"',
    nextStep: 'Set num_workers to 1, or raise the capacity in RUNYARD_CLUSTERS.',
    job: { ...newCluster({ instance_pool_id: 'pair', num_workers: 5, node_type_id: undefined }), ...ok },
  },
  {
    name: 'the nodes of a cluster cannot be started',
    code: 'CLUSTER',
    cause: 'CLOUD_PROVIDER_LAUNCH_FAILURE',
    place: 'Cluster <n>',
    nextStep: 'Check the log of the service for the nodes of the cluster',
    job: {
      format: 'MULTI_TASK',
      tasks: [
        task('unstartable', { ...newCluster(), ...ok }),
        task('behind', python('/ok.py'), ['unstartable']),
      ],
    },
  },
  {
    name: 'a cluster is deleted while a task runs on it',
    code: 'CLUSTER',
    cause: 'was terminated (USER_REQUEST)',
    place: 'Cluster <n>',
    nextStep: 'Leave the cluster alone while tasks run on it, or use new_cluster',
    files,
    job: { ...newCluster(), ...wait },
    async act(service, runId) {
      const run = await waitUntilRunning(service, runId);
      const id = run.cluster_instance?.cluster_id ?? run.tasks[0].cluster_instance.cluster_id;
      await service.callOk('POST', '2.0/clusters/delete', { cluster_id: id });
    },
  },
  {
    name: 'PATH of the cluster has no Java',
    code: 'CLUSTER',
    cause: 'java was not found on PATH=/nonexistent, set in spark_env_vars of cluster <n>',
    place: 'cluster <n>',
    nextStep: 'Remove or correct PATH there',
    requires: 'javac',
    job: {
      ...newCluster({ spark_env_vars: { PATH: '/nonexistent' } }),
      spark_jar_task: { main_class_name: 'Faults', parameters: ['exit'] },
      libraries: [{ jar: 'managed_fs:/main.jar' }],
    },
  },
  {
    name: 'a JAR has no such class',
    code: 'DEPENDENCY',
    cause: 'Class com.example.Missing is in none of: managed_fs:/main.jar',
    place: 'com.example.Missing',
    nextStep: 'Correct main_class_name, or add the JAR to the libraries of the task.',
    requires: 'javac',
    job: {
      ...cluster,
      spark_jar_task: { main_class_name: 'com.example.Missing' },
      libraries: [{ jar: 'managed_fs:/main.jar' }],
    },
  },
  {
    name: 'a Java program throws',
    code: 'USER_CODE',
    cause: 'java.lang.IllegalStateException: no rows',
    place: 'Faults.java, line <n>',
    nextStep: 'Correct the code there',
    requires: 'javac',
    job: {
      ...cluster,
      spark_jar_task: { main_class_name: 'Faults', parameters: ['throw'] },
      libraries: [{ jar: 'managed_fs:/main.jar' }],
    },
  },
  {
    name: 'a Java program chooses an exit code',
    code: 'USER_CODE',
    cause: 'The Java program ended with exit code 9',
    place: 'Faults',
    nextStep: 'its last output: "bad rows: 3".',
    requires: 'javac',
    job: {
      ...cluster,
      spark_jar_task: { main_class_name: 'Faults', parameters: ['exit'] },
      libraries: [{ jar: 'managed_fs:/main.jar' }],
    },
  },
  {
    name: 'the heap of Java is full',
    code: 'RESOURCE_LIMIT',
    cause: 'java.lang.OutOfMemoryError: Java heap space',
    place: 'Faults.java, line <n>',
    nextStep: 'The heap of Java is set by -Xmx in JAVA_TOOL_OPTIONS of spark_env_vars',
    requires: 'javac',
    job: {
      ...newCluster({ spark_env_vars: { JAVA_TOOL_OPTIONS: '-Xmx16m' } }),
      spark_jar_task: { main_class_name: 'Faults', parameters: ['heap'] },
      libraries: [{ jar: 'managed_fs:/main.jar' }],
    },
  },
  {
    name: 'a submitted application has no such class',
    code: 'DEPENDENCY',
    cause: 'Class com.example.Missing is in none of: managed_fs:/main.jar',
    place: 'com.example.Missing',
    nextStep: 'Correct --class',
    requires: 'javac',
    job: {
      ...newCluster(),
      spark_submit_task: { parameters: ['--class', 'com.example.Missing', 'managed_fs:/main.jar'] },
    },
  },
  {
    name: 'spark-submit gets an option that needs Spark',
    code: 'CONFIGURATION',
    cause: 'spark_submit_task.parameters[0] is "--packages"',
    place: 'spark_submit_task.parameters[0]',
    nextStep: 'Correct the task',
    job: { ...newCluster(), spark_submit_task: { parameters: ['--packages', 'a:b:1', 'managed_fs:/ok.py'] } },
    files,
  },
  {
    name: 'a submitted Python application raises an error',
    code: 'USER_CODE',
    cause: 'ZeroDivisionError: division by zero',
    place: 'managed_fs:/app.py, line 2',
    nextStep: 'Correct the code there',
    files: { '/app.py': 'x = 1\nprint(x / 0)\n' },
    job: { ...newCluster(), spark_submit_task: { parameters: ['managed_fs:/app.py'] } },
  },
];
