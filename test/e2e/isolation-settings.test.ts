/** Isolation settings that the machine cannot satisfy: the service refuses to start. */
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createConfig } from '../../cli/config.ts';
import { IsolationError, resolveIsolation, resolveTaskUser } from '../../cli/wiring/isolation.ts';
import { createRoots } from '../../storage/files/roots.ts';

const isRoot = process.getuid?.() === 0;
/** User without rights on every Linux machine. */
const taskUser = 'nobody';

describe('unsupported isolation settings stop the start', () => {
  const startError = async (
    variables: Record<string, string>,
    hidden: readonly string[] = [],
  ): Promise<string> => {
    const directory = await mkdtemp(join(tmpdir(), 'runyard-isolation-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const config = createConfig({ RUNYARD_DATA_DIR: directory, ...variables });
    const error: unknown = await resolveTaskUser(config)
      .then((user) =>
        resolveIsolation(config, createRoots({ dataDirectory: directory, allowedRoots: [] }), user, hidden),
      )
      .catch((found: unknown) => found);
    expect(error).toBeInstanceOf(IsolationError);
    return error instanceof Error ? error.message.replaceAll(directory, '<data>') : '';
  };

  test('a process limit without a task user is refused', async () => {
    expect(await startError({ RUNYARD_TASK_LIMITS: '{"processes":9}' })).toMatch(
      /^RUNYARD_TASK_LIMITS limits processes, which the system counts by user/,
    );
  });

  test.skipIf(!isRoot)(
    'a task user is refused when it is missing, is root, cannot enter the data directory, or runs the database',
    async () => {
      expect(await startError({ RUNYARD_TASK_USER: 'no-such-user' })).toBe(
        'RUNYARD_TASK_USER is "no-such-user", but there is no such user on this machine.',
      );
      expect(await startError({ RUNYARD_TASK_USER: 'root' })).toBe(
        'RUNYARD_TASK_USER is "root", but it must not be root: tasks would have all rights.',
      );
      expect(await startError({ RUNYARD_TASK_USER: taskUser })).toBe(
        `RUNYARD_TASK_USER is "${taskUser}", who cannot enter <data>: allow it with chmod o+x on the directories above.`,
      );
      const own = await mkdtemp(join(tmpdir(), 'runyard-isolation-'));
      onTestFinished(() => rm(own, { recursive: true, force: true }));
      await chown(own, 65_534, 65_534);
      expect(await startError({ RUNYARD_TASK_USER: taskUser }, [own])).toContain(
        `RUNYARD_TASK_USER is "${taskUser}", which the embedded database runs as`,
      );
    },
  );

  test.skipIf(isRoot)('a task user is refused when the service does not run as root', async () => {
    expect(await startError({ RUNYARD_TASK_USER: taskUser })).toMatch(
      /only root can start processes of other users/,
    );
  });
});
