/**
 * The heart: a process is started once, outlives its engine, and is found again, whatever happens in between.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { identifyProcess, isAlive, type ProcessIdentity } from '../../../engine/process-identity.ts';
import { attemptMarker, signalGroup } from '../../../runners/process/process-group.ts';
import { createProcessTable } from '../../../runners/process/process-table.ts';
import { exec } from '../../../runners/process/exec.ts';
import {
  readProcessIdentity,
  killEngine,
  readLog,
  neverAborted,
  root,
  waitForOutput,
  createSpec,
  startEngine,
  pause,
} from './exec-harness.ts';

describe('a process that nobody disturbs', () => {
  test.each([
    ['exit 0', 0],
    ['exit 7', 7],
    ['exit 255', 255],
    ['kill -9 $$', 137],
    ['kill -TERM $$', 143],
  ])('%s is seen to end with %i', async (script, code) => {
    expect(await exec(createSpec(script), neverAborted)).toEqual({ kind: 'exited', code });
  });

  test('many that end at once are all seen to end, none is taken for lost', async () => {
    const exits = await Promise.all(
      Array.from({ length: 150 }, () => exec(createSpec(':', { argv: ['true'] }), neverAborted)),
    );
    expect(exits.filter((exit) => exit.kind !== 'exited' || exit.code !== 0)).toEqual([]);
  });

  test('a program that does not exist ends with 127 and says so in its log', async () => {
    const spec = createSpec('', { argv: ['no-such-program'] });
    expect(await exec(spec, neverAborted)).toEqual({ kind: 'exited', code: 127 });
    expect(readLog(spec, 'stderr')).toContain('no-such-program');
  });

  test('its output goes to files as it is, bytes that are no text too', async () => {
    const spec = createSpec(String.raw`printf 'a\000\377\n'; echo oops >&2`);
    await exec(spec, neverAborted);
    expect(await readFile(join(spec.directory, 'stdout'))).toEqual(Buffer.from([97, 0, 255, 10]));
    expect(readLog(spec, 'stderr')).toBe('oops\n');
  });

  test('it gets the environment of its spec, its mark, and nothing of the engine', async () => {
    const spec = createSpec('env | cut -d= -f1 | sort', { env: { PATH: '/usr/bin:/bin', GIVEN: 'x' } });
    await exec(spec, neverAborted);
    const shellsOwn = new Set(['_', 'PWD', 'OLDPWD', 'SHLVL']);
    expect(
      readLog(spec)
        .trim()
        .split('\n')
        .filter((name) => !shellsOwn.has(name)),
    ).toEqual(['GIVEN', 'PATH', 'RUNYARD_ATTEMPT_DIR']);
  });

  test('arguments reach it untouched', async () => {
    const spec = createSpec('', { argv: ['printf', '%s|', 'a b', '$HOME', '"', "'", '', '*', '\n'] });
    await exec(spec, neverAborted);
    expect(readLog(spec)).toBe('a b|$HOME|"|\'||*|\n|');
  });

  test('what left its group and its session is ended with it', async () => {
    const spec = createSpec(
      'setsid sh -c "echo \\$\\$ > left; exec sleep 300" & while [ ! -s left ]; do sleep 0.02; done; cp left main; exit 0',
    );
    const running = exec(spec, neverAborted);
    expect(await running).toEqual({ kind: 'exited', code: 0 });
    const pid = Number(await readFile(join(spec.directory, 'work', 'left'), 'utf8'));
    expect(await identifyProcess(pid)).toBeUndefined();
  });

  test('so is what has cleared its environment and still writes to its log', async () => {
    const spec = createSpec(
      'setsid env -i sh -c "echo \\$\\$ > left; exec sleep 300" & while [ ! -s left ]; do sleep 0.02; done; exit 0',
    );
    expect(await exec(spec, neverAborted)).toEqual({ kind: 'exited', code: 0 });
    const pid = Number(await readFile(join(spec.directory, 'work', 'left'), 'utf8'));
    expect(await identifyProcess(pid)).toBeUndefined();
  });

  test('nothing but its own words stands in its logs, however it ends', async () => {
    const spec = createSpec('echo own >&2; kill -9 $$');
    await exec(spec, neverAborted);
    expect(readLog(spec, 'stderr')).toBe('own\n');
  });

  test('what it leaves running in the background is ended with it', async () => {
    const spec = createSpec('sleep 300 & echo $! > left; exit 0');
    const running = exec(spec, neverAborted);
    expect(await running).toEqual({ kind: 'exited', code: 0 });
    const pid = Number(await readFile(join(spec.directory, 'work', 'left'), 'utf8'));
    expect(await identifyProcess(pid)).toBeUndefined();
  });

  test('what it leaves is ended with it, also when nobody saw its claim before its end', async () => {
    const spec = createSpec('');
    await mkdir(spec.directory, { recursive: true });
    // As an engine finds it that looked for the claim, was paused for the whole life of the process, and
    // looks for the end.
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

describe('asked for again', () => {
  test('a process that is over is not started again', async () => {
    const spec = createSpec('echo once; exit 3');
    await exec(spec, neverAborted);
    expect(await exec(spec, neverAborted)).toEqual({ kind: 'exited', code: 3 });
    expect(readLog(spec)).toBe('once\n');
  });

  test('many calls at the same time start one process', async () => {
    const spec = createSpec('echo once; sleep 0.2; exit 4');
    const exits = await Promise.all(Array.from({ length: 12 }, () => exec(spec, neverAborted)));
    expect(new Set(exits.map((exit) => JSON.stringify(exit)))).toEqual(
      new Set(['{"kind":"exited","code":4}']),
    );
    expect(readLog(spec)).toBe('once\n');
  });

  test('after kill -9 of its engine the same process is found and waited for', async () => {
    const spec = createSpec('echo $$; while [ ! -e go ]; do sleep 0.02; done; echo done; exit 5');
    const engine = await startEngine(spec);
    await waitForOutput(spec, '\n');
    await killEngine(engine);
    const again = exec(spec, neverAborted);
    await writeFile(join(spec.directory, 'work', 'go'), '');
    expect(await again).toEqual({ kind: 'exited', code: 5 });
    expect(readLog(spec)).toMatch(/^\d+\ndone\n$/);
  });

  test('a process that ended while no engine was there has left its exit code', async () => {
    const spec = createSpec('while [ ! -e go ]; do sleep 0.02; done; exit 6');
    const engine = await startEngine(spec);
    while (
      !existsSync(join(spec.directory, 'pid')) ||
      readFileSync(join(spec.directory, 'pid'), 'utf8') === ''
    )
      await pause();
    await killEngine(engine);
    await mkdir(join(spec.directory, 'work'), { recursive: true });
    await writeFile(join(spec.directory, 'work', 'go'), '');
    while (!existsSync(join(spec.directory, 'exit'))) await pause();
    expect(await exec(spec, neverAborted)).toEqual({ kind: 'exited', code: 6 });
  });

  test('kill -9 of the engine at any moment of the start neither loses the process nor starts it twice', async () => {
    for (let round = 0; round < 25; round += 1) {
      const spec = createSpec('echo once; exit 0');
      const engine = await startEngine(spec);
      // From before the directory is made to after the process is over.
      await new Promise((resolve) => {
        setTimeout(resolve, Math.random() * 25);
      });
      await killEngine(engine);
      expect(await exec(spec, neverAborted), `round ${round}`).toEqual({ kind: 'exited', code: 0 });
      expect(readLog(spec), `round ${round}`).toBe('once\n');
    }
  });
});

describe('told to stop', () => {
  test('its group gets SIGTERM and may end in its own way', async () => {
    const spec = createSpec('trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.02; done');
    const stop = new AbortController();
    const running = exec(spec, stop.signal);
    await waitForOutput(spec, 'up');
    stop.abort();
    expect(await running).toEqual({ kind: 'stopped' });
    expect(readLog(spec)).toBe('up\nbye\n');
  });

  test('what ignores SIGTERM is killed after the grace period, with children that left the group', async () => {
    const script =
      'trap "" TERM; setsid sh -c \'trap "" TERM; echo $$ > escaped; sleep 300\' & ' +
      'while [ ! -s escaped ]; do sleep 0.02; done; echo $$ > main; echo up; sleep 300';
    const spec = createSpec(script, { stopGraceMs: 100 });
    const stop = new AbortController();
    const running = exec(spec, stop.signal);
    await waitForOutput(spec, 'up');
    const [main, escaped] = [
      await readProcessIdentity(spec, 'main'),
      await readProcessIdentity(spec, 'escaped'),
    ];
    stop.abort();
    expect(await running).toEqual({ kind: 'stopped' });
    expect([await isAlive(main), await isAlive(escaped)]).toEqual([false, false]);
  });

  test('before it was started, it never starts, not by a later call either', async () => {
    const spec = createSpec('echo never');
    const stop = new AbortController();
    stop.abort();
    expect(await exec(spec, stop.signal)).toEqual({ kind: 'stopped' });
    expect(await exec(spec, neverAborted)).toEqual({ kind: 'stopped' });
    expect(existsSync(join(spec.directory, 'stdout'))).toBe(false);
  });

  test('a stop after its end changes nothing', async () => {
    const spec = createSpec('exit 2');
    await exec(spec, neverAborted);
    const stop = new AbortController();
    stop.abort();
    expect(await exec(spec, stop.signal)).toEqual({ kind: 'exited', code: 2 });
  });

  test.each([
    ['is ended by SIGTERM', 'echo up; sleep 300', 5_000],
    ['has to be killed', 'trap "" TERM; echo up; sleep 300', 200],
  ])(
    'when the engine is killed while it stops a process that %s, the next one still knows that it was stopped',
    async (_name, script, stopGraceMs) => {
      const spec = createSpec(script, { stopGraceMs });
      const engine = await startEngine(spec);
      await waitForOutput(spec, 'up');
      engine.kill('SIGUSR2');
      while (!existsSync(join(spec.directory, 'stopped'))) await pause();
      await killEngine(engine);
      // Whatever is left of it ends like after a kill by the engine that is gone.
      const [pid] = (await readFile(join(spec.directory, 'pid'), 'utf8')).split(' ');
      signalGroup(Number(pid), 'SIGKILL');
      expect(await exec(spec, neverAborted)).toEqual({ kind: 'stopped' });
    },
  );

  test('a PATH without any command of the system neither hangs the process nor its stop', async () => {
    const spec = createSpec('', { argv: ['/bin/sh', '-c', 'exit 3'], env: { PATH: '/nonexistent' } });
    expect(await exec(spec, neverAborted)).toEqual({ kind: 'exited', code: 3 });
  });

  test('many at once look at the process table together', async () => {
    const stop = new AbortController();
    const specs = Array.from({ length: 60 }, () => createSpec('echo up; sleep 300'));
    const running = specs.map((spec) => exec(spec, stop.signal));
    for (const spec of specs) await waitForOutput(spec, 'up');
    stop.abort();
    expect(new Set((await Promise.all(running)).map(({ kind }) => kind))).toEqual(new Set(['stopped']));
  });

  test('a process of an engine that is gone is stopped as well', async () => {
    const spec = createSpec('echo up; sleep 300');
    const engine = await startEngine(spec);
    await waitForOutput(spec, 'up');
    await killEngine(engine);
    const stop = new AbortController();
    const again = exec(spec, stop.signal);
    stop.abort();
    expect(await again).toEqual({ kind: 'stopped' });
  });
});

describe('lost', () => {
  test('a task that makes a pipe of the file with its pid holds nobody up, and its end is seen', async () => {
    const spec = createSpec(
      'rm ../pid; mkfifo ../pid; echo up; while [ ! -e go ]; do sleep 0.02; done; exit 4',
    );
    const running = exec(spec, neverAborted);
    await waitForOutput(spec, 'up');
    await writeFile(join(spec.directory, 'work', 'go'), '');
    expect(await running).toEqual({ kind: 'exited', code: 4 });
  });

  test('a process that was killed together with its supervisor is lost, and its remains are ended', async () => {
    const spec = createSpec(
      'setsid sh -c "echo \\$\\$ > escaped; sleep 300" & while [ ! -s escaped ]; do sleep 0.02; done; echo up; sleep 300',
    );
    const running = exec(spec, neverAborted);
    await waitForOutput(spec, 'up');
    const escaped = await readProcessIdentity(spec, 'escaped');
    const [pid] = (await readFile(join(spec.directory, 'pid'), 'utf8')).split(' ');
    process.kill(-Number(pid), 'SIGKILL');
    expect(await running).toMatchObject({
      kind: 'lost',
      message: expect.stringContaining(`process ${pid} is gone`),
    });
    expect(await isAlive(escaped)).toBe(false);
  });

  test.each([
    [
      'of an earlier boot',
      (own: ProcessIdentity) => `${own.pid} 00000000-0000-0000-0000-000000000000 ${own.startTime}\n`,
    ],
    ['whose pid belongs to another process by now', (own: ProcessIdentity) => `${own.pid} ${own.bootId} 1\n`],
  ])('a claim %s is lost, and that other process is left alone', async (_name, claim) => {
    const spec = createSpec('echo never');
    const own = await identifyProcess(process.pid);
    if (own === undefined) throw new Error('This test is not in the process table.');
    await mkdir(spec.directory, { recursive: true });
    await writeFile(join(spec.directory, 'pid'), claim(own));
    expect(await exec(spec, neverAborted)).toMatchObject({ kind: 'lost' });
  });
});

describe('the process table', () => {
  test('names the attempts of its data directory that have living processes, and ends them', async () => {
    const spec = {
      ...createSpec('echo up; sleep 300'),
      directory: join(root, 'runs', '4711'),
      attemptDirectory: join(root, 'runs', '4711'),
    };
    const running = exec(spec, neverAborted);
    await waitForOutput(spec, 'up');
    const table = createProcessTable(join(root, 'runs'));
    expect(await table.listAttempts()).toEqual([4711]);
    await table.killAttempt(4711);
    expect(await table.listAttempts()).toEqual([]);
    expect(await running).toMatchObject({ kind: 'lost' });
  });
});
