/** Process windows: which process ids may have been given out since an instant. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { openProcessWindow, toWindow } from '../../../runners/process/process-window.ts';

describe('a window', () => {
  test.each<[string, Parameters<typeof toWindow>, readonly number[], readonly number[]]>([
    [
      'contains the ids between the last one at its start and the last one now',
      [{ forks: 100_000, lastPid: 500 }, { forks: 100_003, lastPid: 503 }, 32_768],
      [501, 503],
      [500, 504, 1],
    ],
    [
      'contains the ids after the greatest one, when ids began again',
      [{ forks: 100_000, lastPid: 32_000 }, { forks: 102_000, lastPid: 1_200 }, 32_768],
      [32_001, 32_768, 300, 1_200],
      [32_000, 1_201],
    ],
    [
      'contains every id when all may have been given out anew',
      [{ forks: 100_000, lastPid: 500 }, { forks: 130_000, lastPid: 600 }, 32_768],
      [1, 500, 32_000],
      [],
    ],
    ['contains every id when the counters cannot be read', [undefined, undefined, 32_768], [1, 32_000], []],
    [
      'is empty when nothing was started',
      [{ forks: 100_000, lastPid: 500 }, { forks: 100_000, lastPid: 500 }, 32_768],
      [],
      [499, 500, 501],
    ],
  ])('%s', (_name, [start, now, greatest], contained, others) => {
    const window = toWindow(start, now, greatest);
    expect(contained.filter((pid) => !window.mayContain(pid))).toEqual([]);
    expect(others.filter((pid) => window.mayContain(pid))).toEqual([]);
  });

  test('contains a process and its descendants', async () => {
    const open = openProcessWindow();
    const child = spawn('/bin/sh', ['-c', '/bin/sh -c "echo \\$\\$" & echo $$; wait']);
    const parts: Buffer[] = [];
    child.stdout.on('data', (part: Buffer) => parts.push(part));
    await once(child, 'close');
    const pids = Buffer.concat(parts).toString().trim().split('\n').map(Number);
    expect(pids).toHaveLength(2);
    expect(pids.filter((pid) => !open().mayContain(pid))).toEqual([]);
  });
});
