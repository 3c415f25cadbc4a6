/** The Airflow provider: a DAG of its operators with their triggers, and its hook. */
import { join } from 'node:path';
import { installPythonPackages, sourcePath } from './client-installs.ts';
import { describeClient } from './client-suite.ts';

describeClient('Airflow provider', {
  prepare: async () => [
    join(await installPythonPackages('airflow-provider'), 'python'),
    sourcePath('airflow-provider', 'scenario.py'),
  ],
  expected: {
    'the connection test passes': true,
    'operators run to the state that their runs end in': {
      create: 'success',
      create_failing: 'success',
      create_second: 'success',
      notebook: 'success',
      run_now: 'success',
      run_now_deferred: 'success',
      run_now_failing: 'failed',
      run_now_failing_deferred: 'failed',
      // The operator fails after every repair, also after a successful one.
      run_now_repaired: 'failed',
      submit_single: 'success',
      submit_tasks: 'success',
      task: 'success',
      'workflow.first': 'success',
      'workflow.launch': 'success',
      'workflow.then': 'success',
    },
    'a repaired run ends successfully': ['SUCCESS'],
    'a second run of the DAG resets its jobs': ['success', 'success', 1],
    'the hook finds jobs by name and lists them page by page': [true, true],
    'the hook reads states, tasks and outputs of a failed run': [
      false,
      'FAILED',
      'The Python program ended with exit code 1: no luck',
      null,
    ],
    'the hook repairs a failed run': true,
    'the hook cancels and deletes runs': [['CANCELED', 'CANCELED'], true],
    'the hook updates, resets and shares a job': [true, true, true],
    'the hook starts, restarts and terminates a cluster, and installs libraries': [true, true, true, true],
    'the hook lists pipelines': [],
  },
});
