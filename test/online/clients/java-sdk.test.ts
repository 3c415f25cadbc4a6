/** The vendor's Java SDK: its waiters, its file helpers and its cluster selectors. */
import { expect } from 'vitest';
import { buildJavaProgram } from './client-installs.ts';
import { describeClient } from './client-suite.ts';

describeClient('Java SDK', {
  prepare: async () => ['java', '-cp', await buildJavaProgram('java-sdk', 'Scenario.java'), 'Scenario'],
  expected: {
    'dbfs writes and reads a file of several blocks': true,
    'files uploads, describes, downloads, lists and deletes files of a volume': [
      4,
      'text',
      ['a b.txt'],
      true,
    ],
    'workspace imports and exports a notebook': true,
    'jobs are created, read and listed': ['scenario', 2, 1],
    'runNow waits for a successful run': ['TERMINATED', 'SUCCESS'],
    'getRunOutput returns the exit value and the logs': { greet: 'hello Ann', hello: 'program hello\n' },
    'listRuns lists the runs of a job': 1,
    'the waiter of a failed run raises, and the waiter of its repair returns': [
      expect.stringContaining('got INTERNAL_ERROR'),
      ['TERMINATED', 'SUCCESS'],
    ],
    'cancelRun waits for the end of an active run': ['TERMINATED', 'CANCELED'],
    'submit waits for a run on a new cluster': ['TERMINATED', 'SUCCESS'],
    'permissions of a job are set': 'CAN_VIEW',
    'a deleted job is gone': expect.stringContaining('Job N does not exist.'),
    'clusters are chosen by their properties, created, edited, restarted and stopped': [
      'RUNNING',
      'edited',
      2,
      'RUNNING',
      1,
      'TERMINATED',
      true,
    ],
    'zones, node types and runtime versions are listed': [true, true, true],
    'tokens are created, listed and revoked': 1,
  },
});
