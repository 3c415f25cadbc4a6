/** dagster-databricks: its ops, and Dagster Pipes, whose tasks read and write files below /dbfs. */
import { join } from 'node:path';
import { hasSandbox, installPythonPackages, sourcePath } from './client-installs.ts';
import { describeClient } from './client-suite.ts';

/** Only a sandbox can mount /dbfs. */
const mounts = await hasSandbox();

describeClient('Dagster', {
  ...(mounts && { settings: async () => ({ taskSandbox: 'mounts' }) }),
  prepare: async () => [
    join(await installPythonPackages('dagster-databricks'), 'python'),
    sourcePath('dagster-databricks', 'scenario.py'),
  ],
  environment: () => ({ HAS_MOUNTS: String(mounts) }),
  expected: {
    'the run-now op succeeds and fails with its run': [true, false],
    'the submit op succeeds and fails with its run': [true, false],
    'the client reads a file from dbfs': true,
    ...(mounts && { 'Pipes passes a context to a task and receives its report (needs bubblewrap)': 42 }),
  },
});
