/** prefect-databricks: its flow that submits and waits, and its tasks. It calls version 2.1 and always uses TLS. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testCertificate, testKey } from '../../harness/test-certificate.ts';
import { installPythonPackages, sourcePath } from './client-installs.ts';
import { describeClient } from './client-suite.ts';

describeClient('Prefect', {
  settings: async () => {
    const directory = await mkdtemp(join(tmpdir(), 'runyard-certificate-'));
    const [tlsCert, tlsKey] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
    await Promise.all([writeFile(tlsCert, testCertificate), writeFile(tlsKey, testKey)]);
    return { tlsCert, tlsKey };
  },
  environment: ({ config }) => ({ SSL_CERT_FILE: config.tlsCert ?? '' }),
  prepare: async () => [
    join(await installPythonPackages('prefect-databricks'), 'python'),
    sourcePath('prefect-databricks', 'scenario.py'),
  ],
  expected: {
    'the flow submits a notebook, waits and returns its output': {
      greet: { result: 'hello Ann', truncated: false },
    },
    'the flow raises for a failed run': 'DatabricksJobTerminated',
    'tasks create, update, reset, list and get jobs': ['updated', true],
    'tasks run a job, read its output, and repair it': [
      'FAILED',
      'The Python program ended with exit code 1: no luck',
      'FAILED',
      1,
    ],
    'tasks cancel and delete runs and jobs': ['CANCELED', true],
  },
});
