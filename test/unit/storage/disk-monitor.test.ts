/** Monitor of the disk, on a real file system of 8 MB. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../engine/clock.ts';
import { startDiskMonitor, type DiskMonitor } from '../../../storage/files/disk-monitor.ts';
import { eventually } from '../../harness/eventually.ts';

const directory = mkdtempSync(join(tmpdir(), 'runyard-disk-'));
const isMounted = mount();

/** Mounts a small file system; false where that is not permitted. */
function mount(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', directory], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const reserveBytes = 2 * 2 ** 20;
const reserve = join(directory, 'disk-reserve');
const filler = join(directory, 'filler');

describe.skipIf(!isMounted)('a disk that becomes full', () => {
  const full: string[] = [];
  let monitor: DiskMonitor;
  beforeAll(async () => {
    monitor = await startDiskMonitor({
      directory,
      reserveBytes,
      clock: systemClock,
      log: pino({ level: 'silent' }),
      onFull: (path) => full.push(path),
    });
  });
  afterAll(async () => {
    await monitor.close();
    execFileSync('umount', [directory]);
    rmSync(directory, { recursive: true, force: true });
  });

  test('has a reserve while there is space', () => {
    expect(statSync(reserve).size).toBe(reserveBytes);
    expect(monitor.findFullDisk()).toBeUndefined();
  });

  test('is found once, and its reserve is given up', async () => {
    writeFileSync(filler, Buffer.alloc(6 * 2 ** 20 - 64 * 1_024));
    await eventually(() => monitor.findFullDisk(), { until: (found) => found === directory });
    expect(full).toEqual([directory]);
    expect(() => statSync(reserve)).toThrow('ENOENT');
  });

  test('has its reserve again once there is space', async () => {
    rmSync(filler);
    await eventually(() => monitor.findFullDisk(), { until: (found) => found === undefined });
    expect(statSync(reserve).size).toBe(reserveBytes);
  });
});

test('a reserve of 0 bytes switches the monitor off', async () => {
  const monitor = await startDiskMonitor({
    directory: join(directory, 'none'),
    reserveBytes: 0,
    clock: systemClock,
    log: pino({ level: 'silent' }),
    onFull: () => undefined,
  });
  expect(monitor.findFullDisk()).toBeUndefined();
  await monitor.close();
});
