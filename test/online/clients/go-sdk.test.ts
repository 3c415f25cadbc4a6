/** The vendor's Go SDK: its waiters, its file helpers and its cluster selectors. */
import { expect } from 'vitest';
import { buildGoProgram } from './client-installs.ts';
import { describeClient } from './client-suite.ts';

describeClient('Go SDK', {
  prepare: async () => [await buildGoProgram('go-sdk')],
  expected: {
    'Dbfs writes, reads and lists files': [true, ['/scenario/blocks.bin', '/scenario/program.py']],
    'Files uploads, describes, downloads, lists and deletes files of a volume': [
      4,
      'text',
      ['/Volumes/main/default/go/d/a b.txt'],
      true,
    ],
    'Workspace uploads and downloads a notebook': true,
    'Jobs are created, read and listed': ['scenario', 2, 1],
    'RunNow waits for a successful run': ['TERMINATED', 'SUCCESS'],
    'GetRunOutput returns the exit value and the logs': { greet: 'hello Ann', hello: 'program hello\n' },
    'ListRuns lists the runs of a job': 1,
    'the waiter of a failed run returns an error, and the waiter of its repair does not': [
      expect.stringContaining('got INTERNAL_ERROR'),
      ['TERMINATED', 'SUCCESS'],
    ],
    'CancelRun waits for the end of an active run': ['TERMINATED', 'CANCELED'],
    'Submit waits for a run on a new cluster': ['TERMINATED', 'SUCCESS'],
    'permissions of a job are set': 'CAN_VIEW',
    'a deleted job is gone': 'Job N does not exist.',
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
