/** Repeated calls of exec, also from a new engine: one process, one exit. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { exec } from '../../../runners/process/exec.ts';
import {
  createSpec,
  killEngine,
  neverAborted,
  readLog,
  startEngine,
  waitForFile,
  waitForOutput,
} from './exec-harness.ts';

describe('another call of exec', () => {
  test('returns the exit of a process that is over', async () => {
    const spec = createSpec('echo once; exit 3');
    await exec(spec, neverAborted);
    expect(await exec(spec, neverAborted)).toEqual({ kind: 'exited', code: 3 });
    expect(readLog(spec)).toBe('once\n');
  });

  test('at the same time starts no second process', async () => {
    const spec = createSpec('echo once; sleep 0.2; exit 4');
    const exits = await Promise.all(Array.from({ length: 12 }, () => exec(spec, neverAborted)));
    expect(new Set(exits.map((exit) => JSON.stringify(exit)))).toEqual(
      new Set(['{"kind":"exited","code":4}']),
    );
    expect(readLog(spec)).toBe('once\n');
  });

  test('attaches to a running process after kill -9 of its engine', async () => {
    const spec = createSpec('echo $$; while [ ! -e go ]; do sleep 0.02; done; echo done; exit 5');
    const engine = await startEngine(spec);
    await waitForOutput(spec, '\n');
    await killEngine(engine);
    const again = exec(spec, neverAborted);
    await writeFile(join(spec.directory, 'work', 'go'), '');
    expect(await again).toEqual({ kind: 'exited', code: 5 });
    expect(readLog(spec)).toMatch(/^\d+\ndone\n$/);
  });

  test('returns the exit code of a process that ended without an engine', async () => {
    const spec = createSpec('while [ ! -e go ]; do sleep 0.02; done; exit 6');
    const engine = await startEngine(spec);
    await waitForFile(spec, 'pid', (text) => text !== '');
    await killEngine(engine);
    await mkdir(join(spec.directory, 'work'), { recursive: true });
    await writeFile(join(spec.directory, 'work', 'go'), '');
    await waitForFile(spec, 'exit');
    expect(await exec(spec, neverAborted)).toEqual({ kind: 'exited', code: 6 });
  });

  test('after kill -9 of the engine during the start neither loses nor repeats the process', async () => {
    // The delays cover the start: from before the directory exists until after the process is over.
    for (const delayMs of Array.from({ length: 13 }, (_, round) => 2 * round)) {
      const spec = createSpec('echo once; exit 0');
      const engine = await startEngine(spec);
      await sleep(delayMs);
      await killEngine(engine);
      expect(await exec(spec, neverAborted), `${delayMs} ms`).toEqual({ kind: 'exited', code: 0 });
      expect(readLog(spec), `${delayMs} ms`).toBe('once\n');
    }
  }, 180_000);
});
