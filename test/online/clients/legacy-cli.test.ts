/** The vendor's former command line, in the versions 2.0 and 2.1 of the jobs API. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { installPythonPackages, sourcePath } from './client-installs.ts';
import { describeClient } from './client-suite.ts';

describeClient('legacy command line', {
  prepare: async () => [
    join(await installPythonPackages('legacy-cli'), 'python'),
    sourcePath('legacy-cli', 'scenario.py'),
  ],
  expected: {
    'fs cp uploads and downloads files and directories': true,
    'fs ls, cat, mv and rm': [['program.py', 'tree'], 'a', ['program.py']],
    'workspace import, export, ls and rm': [true, true, 4, ['one.py'], ['greet', 'notebooks'], ['greet']],
    'jobs create, get and list in version 2.0': ['legacy', 'SINGLE_TASK', true, true, true],
    'jobs run-now, runs get and runs get-output': [['TERMINATED', 'SUCCESS'], 'hello Bob'],
    'jobs reset keeps the job in the single-task format': ['reset', 'SINGLE_TASK', false],
    'runs list and runs cancel': [[true], ['TERMINATED', 'CANCELED'], true],
    'runs submit --wait reports success and failure': [true, true],
    'multi-task jobs in version 2.1': [['TERMINATED', 'SUCCESS'], ['program one\n', 'program two\n'], true],
    'jobs delete removes the job': true,
    'clusters create, get, list, edit, resize, restart, delete and start': [
      ['RUNNING', 'RUNNING', 'RUNNING', 'RUNNING', 'TERMINATED', 'RUNNING'],
      ['edited'],
    ],
    'clusters events, node types, runtime versions and zones': [true, true, true, true],
    'libraries install, list and uninstall': [{ jar: expect.stringMatching(/library\.jar$/) }],
    'instance pools and cluster policies': [true, true],
    'tokens create, list and revoke': [['legacy'], false],
  },
});
