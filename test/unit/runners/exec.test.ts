/** Processes of attempts: exit codes, output, environment, and the end of their descendants. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { identifyProcess } from '../../../engine/process-identity.ts';
import { attemptMarker } from '../../../runners/process/start-supervisor.mjs';
import { exec as execWith } from '../../../runners/process/exec.ts';
import { createSpawner, startDirectly } from '../../../runners/process/spawner.ts';
import { createSpec, neverAborted, readLog } from './exec-harness.ts';

describe.each([
  ['started by the caller', startDirectly],
  ['started by a spawner', createSpawner().start],
])('the process of an attempt, %s,', (_starter, start) => {
  const exec = (...[spec, signal]: Parameters<typeof execWith>) => execWith(spec, signal, start);

  test.each([
    ['exit 0', 0],
    ['exit 7', 7],
    ['exit 255', 255],
    ['kill -9 $$', 137],
    ['kill -TERM $$', 143],
  ])('of the script %j exits with code %i', async (script, code) => {
    expect(await exec(createSpec(script), neverAborted)).toEqual({ kind: 'exited', code });
  });

  test('exits when 150 processes exit at once, and none counts as lost', async () => {
    const exits = await Promise.all(
      Array.from({ length: 150 }, () => exec(createSpec(':', { argv: ['true'] }), neverAborted)),
    );
    expect(exits.filter((exit) => exit.kind !== 'exited' || exit.code !== 0)).toEqual([]);
  });

  test('of a missing program exits with code 127 and a message on stderr', async () => {
    const spec = createSpec('', { argv: ['no-such-program'] });
    expect(await exec(spec, neverAborted)).toEqual({ kind: 'exited', code: 127 });
    expect(readLog(spec, 'stderr')).toContain('no-such-program');
  });

  test('writes its output to files byte for byte', async () => {
    const spec = createSpec(String.raw`printf 'a\000\377\n'; echo oops >&2`);
    await exec(spec, neverAborted);
    expect(await readFile(join(spec.directory, 'stdout'))).toEqual(Buffer.from([97, 0, 255, 10]));
    expect(readLog(spec, 'stderr')).toBe('oops\n');
  });

  test('has only the environment of its spec and its marker', async () => {
    const spec = createSpec('env | cut -d= -f1 | sort', { env: { PATH: '/usr/bin:/bin', GIVEN: 'x' } });
    await exec(spec, neverAborted);
    const shellVariables = new Set(['_', 'PWD', 'OLDPWD', 'SHLVL']);
    expect(
      readLog(spec)
        .trim()
        .split('\n')
        .filter((name) => !shellVariables.has(name)),
    ).toEqual(['GIVEN', 'PATH', 'RUNYARD_ATTEMPT_DIR']);
  });

  test('receives its arguments unchanged', async () => {
    const spec = createSpec('', { argv: ['printf', '%s|', 'a b', '$HOME', '"', "'", '', '*', '\n'] });
    await exec(spec, neverAborted);
    expect(readLog(spec)).toBe('a b|$HOME|"|\'||*|\n|');
  });

  test('has only its own output in its logs after it is killed', async () => {
    const spec = createSpec('echo own >&2; kill -9 $$');
    await exec(spec, neverAborted);
    expect(readLog(spec, 'stderr')).toBe('own\n');
  });

  test('exits when its PATH has no system command', async () => {
    const spec = createSpec('', { argv: ['/bin/sh', '-c', 'exit 3'], env: { PATH: '/nonexistent' } });
    expect(await exec(spec, neverAborted)).toEqual({ kind: 'exited', code: 3 });
  });
});

describe('a descendant of a process that has exited', () => {
  const exec = execWith;

  test('that left its group and session is killed', async () => {
    const spec = createSpec(
      'setsid sh -c "echo \\$\\$ > left; exec sleep 300" & ' +
        'while [ ! -s left ]; do sleep 0.02; done; cp left main; exit 0',
    );
    const running = exec(spec, neverAborted);
    expect(await running).toEqual({ kind: 'exited', code: 0 });
    const pid = Number(await readFile(join(spec.directory, 'work', 'left'), 'utf8'));
    expect(await identifyProcess(pid)).toBeUndefined();
  });

  test('that cleared its environment and still writes to its log is killed', async () => {
    const spec = createSpec(
      'setsid env -i sh -c "echo \\$\\$ > left; exec sleep 300" & ' +
        'while [ ! -s left ]; do sleep 0.02; done; exit 0',
    );
    expect(await exec(spec, neverAborted)).toEqual({ kind: 'exited', code: 0 });
    const pid = Number(await readFile(join(spec.directory, 'work', 'left'), 'utf8'));
    expect(await identifyProcess(pid)).toBeUndefined();
  });

  test('that runs in the background is killed', async () => {
    const spec = createSpec('sleep 300 & echo $! > left; exit 0');
    const running = exec(spec, neverAborted);
    expect(await running).toEqual({ kind: 'exited', code: 0 });
    const pid = Number(await readFile(join(spec.directory, 'work', 'left'), 'utf8'));
    expect(await identifyProcess(pid)).toBeUndefined();
  });

  test('of a process that no engine observed alive is killed', async () => {
    const spec = createSpec('');
    await mkdir(spec.directory, { recursive: true });
    // State on disk after an engine was paused between its reads of the claim and of the exit code.
    await writeFile(join(spec.directory, 'pid'), '');
    await writeFile(join(spec.directory, 'exit'), '0\n');
    const left = spawn('sleep', ['300'], {
      detached: true,
      stdio: 'ignore',
      env: { ...spec.env, [attemptMarker]: spec.attemptDirectory },
    });
    const gone = once(left, 'exit');
    await once(left, 'spawn');
    expect(await exec(spec, neverAborted)).toEqual({ kind: 'exited', code: 0 });
    expect(await gone).toEqual([null, 'SIGKILL']);
  });
});
