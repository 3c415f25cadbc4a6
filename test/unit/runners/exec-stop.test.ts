/** Stops of processes: signals, the grace period, and stops that survive the engine. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAlive } from '../../../engine/process-identity.ts';
import { signalGroup } from '../../../runners/process/process-group.ts';
import { exec } from '../../../runners/process/exec.ts';
import {
  createSpec,
  killEngine,
  neverAborted,
  readLog,
  readProcessIdentity,
  startEngine,
  waitForFile,
  waitForOutput,
} from './exec-harness.ts';

describe('a stop', () => {
  test('sends SIGTERM to the group and lets handlers finish', async () => {
    const spec = createSpec('trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.02; done');
    const stop = new AbortController();
    const running = exec(spec, stop.signal);
    await waitForOutput(spec, 'up');
    stop.abort();
    expect(await running).toEqual({ kind: 'stopped' });
    expect(readLog(spec)).toBe('up\nbye\n');
  });

  test('kills processes that ignore SIGTERM after the grace period, also outside the group', async () => {
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

  test('before the start prevents the start, also by later calls', async () => {
    const spec = createSpec('echo never');
    const stop = new AbortController();
    stop.abort();
    expect(await exec(spec, stop.signal)).toEqual({ kind: 'stopped' });
    expect(await exec(spec, neverAborted)).toEqual({ kind: 'stopped' });
    expect(existsSync(join(spec.directory, 'stdout'))).toBe(false);
  });

  test('after the end keeps the exit code', async () => {
    const spec = createSpec('exit 2');
    await exec(spec, neverAborted);
    const stop = new AbortController();
    stop.abort();
    expect(await exec(spec, stop.signal)).toEqual({ kind: 'exited', code: 2 });
  });

  test.each([
    ['ends on SIGTERM', 'echo up; sleep 300', 5_000],
    ['ignores SIGTERM', 'trap "" TERM; echo up; sleep 300', 200],
  ])(
    'of a process that %s is known to the next engine after kill -9 of this one',
    async (_name, script, stopGraceMs) => {
      const spec = createSpec(script, { stopGraceMs });
      const engine = await startEngine(spec);
      await waitForOutput(spec, 'up');
      engine.kill('SIGUSR2');
      await waitForFile(spec, 'stopped');
      await killEngine(engine);
      // Ends the remaining processes, as the killed engine would have.
      const [pid] = (await readFile(join(spec.directory, 'pid'), 'utf8')).split(' ');
      signalGroup(Number(pid), 'SIGKILL');
      expect(await exec(spec, neverAborted)).toEqual({ kind: 'stopped' });
    },
  );

  test('of 60 processes at once stops all of them', async () => {
    const stop = new AbortController();
    const specs = Array.from({ length: 60 }, () => createSpec('echo up; sleep 300'));
    const running = specs.map((spec) => exec(spec, stop.signal));
    for (const spec of specs) await waitForOutput(spec, 'up');
    stop.abort();
    expect(new Set((await Promise.all(running)).map(({ kind }) => kind))).toEqual(new Set(['stopped']));
  });

  test('ends a process that a dead engine started', async () => {
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
