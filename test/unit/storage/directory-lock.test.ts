/** The lock on a directory: one holder, whatever way the one before ended. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../engine/clock.ts';
import { DirectoryInUseError, lockDirectory } from '../../../storage/embedded/directory-lock.ts';
import { identifyProcess } from '../../../engine/process-identity.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'runyard-lock-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** A pid that was just in use and no longer is. */
const deadPid = (): number => spawnSync('true').pid;
const deadLock = (): string => JSON.stringify({ pid: deadPid(), startTime: '1', bootId: '', nonce: 'dead' });

test('a second holder in the same process is refused with the directory and the pid, in one line', async () => {
  const lock = await lockDirectory(directory, systemClock);
  const refusal = await lockDirectory(directory, systemClock).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(DirectoryInUseError);
  expect(refusal).toMatchObject({ directory, pid: process.pid });
  expect(String(refusal)).toContain(directory);
  expect(String(refusal)).toContain(String(process.pid));
  expect(String(refusal)).not.toContain('\n');
  await lock.release();
});

test('a released lock leaves nothing behind and can be taken again', async () => {
  await (await lockDirectory(directory, systemClock)).release();
  expect(await readdir(directory)).toEqual([]);
  const lock = await lockDirectory(directory, systemClock);
  await lock.release();
  await lock.release();
});

test('a release does not free the lock of a later holder', async () => {
  const first = await lockDirectory(directory, systemClock);
  await first.release();
  await lockDirectory(directory, systemClock);
  await first.release();
  await expect(lockDirectory(directory, systemClock)).rejects.toThrow(DirectoryInUseError);
});

test.each([
  ['whose process is gone', () => deadLock()],
  [
    'whose pid belongs to another process by now',
    async () => JSON.stringify({ ...(await identifyProcess(process.pid)), startTime: 'earlier' }),
  ],
  [
    'of an earlier boot',
    async () => JSON.stringify({ ...(await identifyProcess(process.pid)), bootId: 'earlier' }),
  ],
  ['that a power failure left empty', () => ''],
  ['that holds something else', () => '[1]'],
])('a lock %s is taken over', async (_, text) => {
  await writeFile(join(directory, 'lock'), await text());
  const lock = await lockDirectory(directory, systemClock);
  expect(await readFile(join(directory, 'lock'), 'utf8')).toContain(`"pid":${process.pid},`);
  expect(await readdir(directory)).toEqual(['lock']);
  await lock.release();
});

test('a takeover interrupted by kill -9 is completed by the next holder', async () => {
  const dead = deadLock();
  await writeFile(join(directory, 'lock'), dead);
  const guard = `lock.${createHash('sha256').update(dead).digest('hex').slice(0, 12)}`;
  await writeFile(join(directory, guard), deadLock());
  const lock = await lockDirectory(directory, systemClock);
  expect(await readdir(directory)).toEqual(['lock']);
  await lock.release();
});

test('exactly one of many concurrent callers takes over the lock of a dead process', async () => {
  for (let round = 0; round < 10; round += 1) {
    await writeFile(join(directory, 'lock'), deadLock());
    const attempts = await Promise.allSettled(
      Array.from({ length: 20 }, () => lockDirectory(directory, systemClock)),
    );
    const won = attempts.filter((attempt) => attempt.status === 'fulfilled');
    expect(won).toHaveLength(1);
    await won[0]?.value.release();
  }
});

test('exactly one of several concurrent processes takes over the lock of a dead process', async () => {
  await writeFile(join(directory, 'lock'), deadLock());
  const [module, clock] = ['storage/embedded/directory-lock.ts', 'engine/clock.ts'].map(
    (path) => new URL(`../../../${path}`, import.meta.url).href,
  );
  // Each keeps what it took until its input ends, so that a second winner would show.
  const program = `const { lockDirectory } = await import(${JSON.stringify(module)});
    const { systemClock } = await import(${JSON.stringify(clock)});
    process.stdin.resume();
    console.log(await lockDirectory(${JSON.stringify(directory)}, systemClock).then(() => 'won', (error) => error.name));`;
  const contenders = Array.from({ length: 5 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  try {
    const answers = await Promise.all(
      contenders.map(async ({ stdout }) => String((await once(stdout, 'data'))[0]).trim()),
    );
    expect(answers.sort()).toEqual([...Array.from({ length: 4 }, () => 'DirectoryInUseError'), 'won']);
  } finally {
    await Promise.all(
      contenders.map(async (contender) => {
        contender.kill('SIGKILL');
        await once(contender, 'close');
      }),
    );
  }
});
