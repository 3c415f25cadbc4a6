/** Libraries that cannot be installed or are refused (spec 2.8), through HTTP. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  registerService,
  python,
  runyard,
  packageDirectory,
  put,
  imports,
  submit,
  outputOf,
  statusesOf,
} from './libraries-harness.ts';

registerService();

describe.skipIf(python === undefined)('Python libraries with errors', () => {
  test('a package that the index lacks fails its task with a message; a task without it runs', async () => {
    const run = await submit([
      imports('bad', [{ pypi: { package: 'nosuch==9' } }, { pypi: { package: 'volume==1.0' } }], []),
      imports('good', [], []),
    ]);
    const [bad, good] = run.tasks;
    expect(bad.state).toMatchObject({ life_cycle_state: 'TERMINATED', result_state: 'FAILED' });
    expect(bad.state.state_message).toMatch(
      /^Library installation failed for library due to user error\. Error messages: pypi nosuch==9: ERROR: .*No matching distribution found for nosuch==9/,
    );
    expect((await outputOf(run, 'bad')).error).toBe(bad.state.state_message);
    expect(bad.status.termination_details.code).toBe('LIBRARY_INSTALLATION_ERROR');
    expect(good.state.result_state).toBe('SUCCESS');
    expect(await statusesOf(bad.cluster_instance.cluster_id)).toMatchObject([
      {
        status: 'FAILED',
        messages: [expect.stringContaining('No matching distribution found for nosuch==9')],
      },
      { status: 'SKIPPED', messages: ['Not installed, because another library failed.'] },
    ]);
  });

  test.each<[string, readonly object[], string | RegExp]>([
    [
      'two versions of one package',
      [{ pypi: { package: 'tone==1.0' } }, { whl: 'managed_fs:/tone-2.0-py3-none-any.whl' }],
      'pypi tone==1.0, whl managed_fs:/tone-2.0-py3-none-any.whl: pypi tone==1.0 and whl managed_fs:/tone-2.0-py3-none-any.whl are two versions of the same package; a cluster can have only one of them.',
    ],
    [
      'packages that need different ones',
      [{ pypi: { package: 'strict==1.0' } }, { pypi: { package: 'tone==2.0' } }],
      /pypi strict==1\.0, pypi tone==2\.0: is incompatible with the other libraries: ERROR: .*conflict/,
    ],
    [
      'a file that is no wheel',
      [{ whl: 'managed_fs:/text-1.0-py3-none-any.whl' }],
      'whl managed_fs:/text-1.0-py3-none-any.whl: not a valid wheel: not a zip archive.',
    ],
    [
      'a wheel that is broken inside',
      [{ whl: 'managed_fs:/broken-1.0-py3-none-any.whl' }],
      /whl managed_fs:\/broken-1\.0-py3-none-any\.whl: ERROR: .*broken/,
    ],
    [
      'a file that is not there',
      [{ egg: 'managed_fs:/gone.egg' }],
      'egg managed_fs:/gone.egg: File managed_fs:/gone.egg was not found',
    ],
    [
      'a file outside of what may be read',
      [{ egg: '/etc/passwd' }],
      /egg \/etc\/passwd: File \/etc\/passwd was not found in the workspace/,
    ],
    [
      'a zip that is no egg',
      [{ egg: 'managed_fs:/tone-2.0-py3-none-any.whl' }],
      'not a valid egg: EGG-INFO is missing.',
    ],
    [
      'a wheelhouse without wheels',
      [{ whl: 'managed_fs:/none.wheelhouse.zip' }],
      'the archive contains no wheels.',
    ],
    [
      'an option in the place of a package',
      [{ pypi: { package: '--index-url=http://evil' } }],
      /pypi\.package is "--index-url=http:\/\/evil"; it must be a package name/,
    ],
    [
      'an address in the place of a package',
      [{ pypi: { package: 'x @ file:///etc' } }],
      /it must be a package name/,
    ],
  ])('%s: the task fails and says so', async (_fact, libraries, message) => {
    await runyard.putFile('/text-1.0-py3-none-any.whl', 'hello');
    await put('/tone-2.0-py3-none-any.whl', join(packageDirectory, 'tone-2.0-py3-none-any.whl'));
    for (const name of ['broken-1.0-py3-none-any.whl', 'none.wheelhouse.zip'])
      await put(`/${name}`, join(packageDirectory, 'nest-1.0-py3.egg'));
    const run = await submit([imports('a', libraries, [])]);
    for (const { state } of [run, run.tasks[0]])
      expect(state).toMatchObject({ life_cycle_state: 'TERMINATED', result_state: 'FAILED' });
    expect(run.tasks[0].state.state_message).toMatch(
      /^Library installation failed for library due to user error\. Error messages: /,
    );
    expect(run.tasks[0].state.state_message).toEqual(
      typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
    );
  });
});

test('libraries of a missing cluster or a job cluster are refused', async () => {
  const run = await submit([imports('a', [], [])]);
  const libraries = [{ pypi: { package: 'x' } }];
  const own = run.tasks[0].cluster_instance.cluster_id;
  for (const [body, message] of [
    [{ cluster_id: 'gone', libraries }, 'Cluster gone does not exist.'],
    [
      { cluster_id: own, libraries },
      `Cluster ${own} belongs to a run; set the libraries in the settings of its task.`,
    ],
    [
      { cluster_id: own, libraries: [{ pypi: { package: '-r x' } }] },
      'pypi.package is "-r x"; it must be a package name, optionally with extras and versions, such as name[extra]==1.2.',
    ],
    [
      { cluster_id: own, libraries: [{ jar: 'a', egg: 'b' }] },
      'libraries[0] has jar and egg; exactly one of jar, egg, whl, pypi, maven, cran is allowed.',
    ],
  ] as const) {
    expect(await runyard.call('POST', '2.0/libraries/install', body)).toEqual({
      status: 400,
      body: { error_code: 'INVALID_PARAMETER_VALUE', message },
    });
  }
  expect(
    (await runyard.call('GET', '2.0/libraries/cluster-status', { cluster_id: 'gone' })).body.message,
  ).toBe('Cluster gone does not exist.');
});
