/**
 * The command line of a program within an isolation. What it comes to on a machine is shown by
 * test/e2e/task-isolation.test.ts.
 */
import { expect, test } from 'vitest';
import { applyIsolation, noIsolation, type Isolation } from '../../../runners/process/isolation.ts';

const user = { name: 'tasks', uid: 7, gid: 8, home: undefined, setprivPath: '/bin/setpriv' };
const sandbox = {
  bwrapPath: '/bin/bwrap',
  isolated: true,
  system: [{ path: '/usr' }, { path: '/bin', linkTo: 'usr/bin' }],
  mounted: [{ directory: '/data/managed_fs', at: '/dbfs' }],
  readOnly: [],
  hidden: ['/data'],
  shared: [],
  sharedReadOnly: ['/data/libraries'],
};
const env = { PATH: '/bin', LD_PRELOAD: '/evil.so', BASH_ENV: '/evil.sh', LD_SDK_KEY: 'correct-horse' };
const program = { argv: ['/bin/python3', 'a.py'] as const, env };
const places = {
  temporary: '/data/runs/1/tmp',
  cwd: '/data/runs/1/work',
  writable: ['/data/runs/1', '/data/clusters/c'],
};

test('without an isolation a program is started as it is', () => {
  expect(applyIsolation(noIsolation, program, places)).toEqual({ ...program, runAs: [], limits: '' });
});

test.each<[string, Isolation]>([
  ['as another user', { ...noIsolation, user }],
  ['in a sandbox', { ...noIsolation, sandbox }],
  ['in both', { limits: {}, user, sandbox }],
])(
  '%s, variables that load code reach the program alone, and secrets stand on no command line',
  (_how, isolation) => {
    const { argv, env: outer, runAs = [] } = applyIsolation(isolation, program, places);
    expect(outer).toEqual({ PATH: '/bin', LD_SDK_KEY: 'correct-horse' });
    expect(argv.slice(-5)).toEqual([
      '/usr/bin/env',
      'LD_PRELOAD=/evil.so',
      'BASH_ENV=/evil.sh',
      '/bin/python3',
      'a.py',
    ]);
    expect([...runAs, ...argv].join(' ')).not.toContain('correct-horse');
  },
);

test("a sandbox shows what is shared read-only, and over it what is the program's own", () => {
  const words = applyIsolation({ ...noIsolation, sandbox }, program, places).argv.join(' ');
  expect(words).toMatch(
    /--tmpfs \/data .*--ro-bind-try \/data\/libraries \/data\/libraries .*--bind \/data\/runs\/1 \/data\/runs\/1 --bind \/data\/clusters\/c \/data\/clusters\/c --bind-try/,
  );
  expect(words).toContain('--bind /data/runs/1/tmp /tmp');
  expect(
    applyIsolation({ ...noIsolation, sandbox }, program, { cwd: '/', writable: [] }).argv.join(' '),
  ).toContain('--tmpfs /tmp');
});

test('a sandbox shows the system read-only, and managed_fs at its mount point', () => {
  const words = applyIsolation({ ...noIsolation, sandbox }, program, places).argv.join(' ');
  expect(words).toMatch(
    /^\/bin\/bwrap --ro-bind-try \/usr \/usr --symlink usr\/bin \/bin --unshare-pid .* --bind-try \/data\/managed_fs \/dbfs --remount-ro \/ --chdir \/data\/runs\/1\/work -- /,
  );
});

test('a sandbox that only mounts shows everything else as it is', () => {
  const mounting = { ...sandbox, isolated: false };
  const { argv } = applyIsolation({ ...noIsolation, sandbox: mounting }, program, places);
  expect(argv.slice(0, 14).join(' ')).toBe(
    '/bin/bwrap --dev-bind-try /usr /usr --symlink usr/bin /bin --bind-try /data/managed_fs /dbfs --remount-ro / --chdir /data/runs/1/work',
  );
});
