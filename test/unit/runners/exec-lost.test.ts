/** Processes that cannot be found by their claim, and the process table. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { identifyProcess, isAlive, type ProcessIdentity } from '../../../engine/process-identity.ts';
import { createProcessTable } from '../../../runners/process/process-table.ts';
import { exec } from '../../../runners/process/exec.ts';
import { createSpec, neverAborted, readProcessIdentity, waitForOutput } from './exec-harness.ts';
import { createTemporaryDirectory } from './test-context.ts';

describe('a damaged or abandoned claim', () => {
  test('that the task replaced with a named pipe does not block exec', async () => {
    const spec = createSpec(
      'rm ../pid; mkfifo ../pid; echo up; while [ ! -e go ]; do sleep 0.02; done; exit 4',
    );
    const running = exec(spec, neverAborted);
    await waitForOutput(spec, 'up');
    await writeFile(join(spec.directory, 'work', 'go'), '');
    expect(await running).toEqual({ kind: 'exited', code: 4 });
  });

  test('of a process killed with its supervisor counts as lost, and its descendants are killed', async () => {
    const spec = createSpec(
      'setsid sh -c "echo \\$\\$ > escaped; sleep 300" & ' +
        'while [ ! -s escaped ]; do sleep 0.02; done; echo up; sleep 300',
    );
    const running = exec(spec, neverAborted);
    await waitForOutput(spec, 'up');
    const escaped = await readProcessIdentity(spec, 'escaped');
    const [pid] = (await readFile(join(spec.directory, 'pid'), 'utf8')).split(' ');
    process.kill(-Number(pid), 'SIGKILL');
    expect(await running).toMatchObject({
      kind: 'lost',
      message: expect.stringContaining(`The task's process ${pid} on node `),
    });
    expect(await isAlive(escaped)).toBe(false);
  });

  test.each([
    [
      'of an earlier boot',
      (own: ProcessIdentity) => `${own.pid} 00000000-0000-0000-0000-000000000000 ${own.startTime}\n`,
    ],
    ['with a pid that another process has now', (own: ProcessIdentity) => `${own.pid} ${own.bootId} 1\n`],
  ])('%s counts as lost, and no other process is killed', async (_name, claim) => {
    const spec = createSpec('echo never');
    const own = await identifyProcess(process.pid);
    if (own === undefined) throw new Error('This test is not in the process table.');
    await mkdir(spec.directory, { recursive: true });
    await writeFile(join(spec.directory, 'pid'), claim(own));
    expect(await exec(spec, neverAborted)).toMatchObject({ kind: 'lost' });
  });
});

describe('the process table', () => {
  test('lists and kills the attempts of its directory with running processes', async () => {
    const runs = await createTemporaryDirectory();
    const directory = join(runs, '4711');
    const spec = createSpec('echo up; sleep 300', { directory, attemptDirectory: directory });
    const running = exec(spec, neverAborted);
    await waitForOutput(spec, 'up');
    const table = createProcessTable(runs);
    expect(await table.listAttempts()).toEqual([4711]);
    await table.killAttempt(4711);
    expect(await table.listAttempts()).toEqual([]);
    expect(await running).toMatchObject({ kind: 'lost' });
  });
});
