/** The vendor's Python SDK: its waiters, its file helpers and its cluster helpers. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { listDocumentedFields } from '../../contract/fields/sdk-objects.ts';
import { installPythonPackages, sourcePath } from './client-installs.ts';
import { describeClient } from './client-suite.ts';

describeClient('Python SDK', {
  environment: () => ({ DOCUMENTED_FIELDS: JSON.stringify(listDocumentedFields()) }),
  prepare: async () => [
    join(await installPythonPackages('python-sdk'), 'python'),
    sourcePath('python-sdk', 'scenario.py'),
  ],
  expected: {
    'dbfs.upload and dbfs.download carry more than one block': true,
    'dbfs.upload refuses an existing path without overwrite': expect.stringMatching(/AlreadyExists/),
    'dbfs.open writes and reads': true,
    'dbfs lists, moves and deletes': [3, ['/scenario/blocks.bin', '/scenario/program.py'], false],
    'dbutils.fs puts, reads, copies, lists and removes': [['a.txt', 'b.txt'], 'text', false],
    'files.upload, get_metadata and download carry a file of a volume': [
      256,
      'application/octet-stream',
      true,
      true,
    ],
    'files.upload replaces a file unless overwrite is false': ['new', 'AlreadyExists'],
    'files.upload_from and download_to carry a file above 50 MB, also in parts': [true, true],
    'files creates, lists and deletes directories and files': [
      [
        ['b', false],
        ['deeper', true],
      ],
      'InvalidState',
      ['NotFound', 'NotFound', 'NotFound'],
    ],
    'dbutils.fs puts, reads, copies, lists and removes below /Volumes': [
      ['a.txt', 'c.txt'],
      'text',
      4,
      false,
    ],
    'workspace.upload imports a notebook, and download returns its source': ['NOTEBOOK', true],
    'workspace.upload in format AUTO keeps a file as it is': ['a,b\n1,2\n', 'FILE'],
    'workspace.export answers HTML and Jupyter': [true, true],
    'workspace.list walks directories': ['/scenario/data.csv', '/scenario/greet'],
    'jobs.create and jobs.get return the settings': ['scenario', 3, { team: 'data' }, ['greet', 'print']],
    'jobs.list finds a job by name': [true],
    'jobs.run_now waits for a successful run': ['TERMINATED', 'SUCCESS'],
    'jobs.get_run_output returns the exit value and the logs': ['hello Ann', 'program hello\n'],
    'jobs.export_run returns the notebook as HTML': [['NOTEBOOK', true]],
    'jobs.list_runs lists the runs of a job': [[true, 2]],
    'jobs.update and jobs.reset change the settings': ['renamed', null, 2, 'reset', ['wish']],
    'the waiter of jobs.run_now raises for a failed run':
      'OperationFailed: failed to reach TERMINATED or SKIPPED',
    'a failed run explains itself': [
      ['INTERNAL_ERROR', 'FAILED'],
      ['TERMINATED', 'FAILED'],
      expect.stringContaining('no wish'),
    ],
    'jobs.repair_run waits for a successful repair': [
      ['TERMINATED', 'SUCCESS'],
      ['ORIGINAL', 'REPAIR'],
    ],
    'jobs.cancel_run waits for the end of an active run': [
      ['TERMINATED', 'CANCELED'],
      'ResourceDoesNotExist',
    ],
    'jobs.cancel_all_runs ends the runs of a job': ['CANCELED', 'CANCELED'],
    'jobs.submit_and_wait runs a task once': [['TERMINATED', 'SUCCESS'], 'program submitted\n'],
    'a task takes /dbfs paths for its file and its arguments': [['TERMINATED', 'SUCCESS'], 'TEXT'],
    'job permissions are set, updated and read': [
      ['CAN_VIEW'],
      ['CAN_MANAGE_RUN'],
      ['IS_OWNER'],
      ['CAN_MANAGE', 'CAN_MANAGE_RUN', 'CAN_VIEW', 'IS_OWNER'],
    ],
    'jobs.delete removes the job': 'ResourceDoesNotExist: Job N does not exist.',
    'clusters.select_node_type and select_spark_version choose known ones': [true, true],
    'clusters are created, edited, resized, restarted, stopped and started': [
      'RUNNING',
      'RUNNING',
      'edited',
      2,
      1,
      'RUNNING',
      'TERMINATED',
      'RUNNING',
    ],
    'clusters.list filters by state, and clusters can be pinned': [[true], [], [true], []],
    'clusters.events lists the events of a cluster': [true, true],
    'clusters have zones and permissions': [
      ['CAN_ATTACH_TO', 'CAN_MANAGE', 'CAN_RESTART'],
      ['CAN_ATTACH_TO'],
      true,
    ],
    'clusters.permanent_delete removes a cluster': 'ResourceDoesNotExist: Cluster ID does not exist',
    'instance pools and cluster policies are created, edited, listed and deleted': [true, true, 0],
    'tokens are created, listed and revoked': [true, ['scenario'], 'PermissionDenied'],
    'token management creates, lists and revokes tokens of service principals': [['obo'], true],
    'token permissions are read and replaced': [['CAN_MANAGE', 'CAN_USE'], true],
    'every field of jobs and runs is documented': [],
  },
});
