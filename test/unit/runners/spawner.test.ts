/** Spawner process: starts, its death, and its end with the engine. */
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identifyProcess } from '../../../engine/process-identity.ts';
import { exec } from '../../../runners/process/exec.ts';
import { createSpawner } from '../../../runners/process/spawner.ts';
import { eventually } from '../../harness/eventually.ts';
import { createSpec, killEngine, neverAborted, readLog, startEngine, waitForOutput } from './exec-harness.ts';

const goOn = 'echo up; while [ ! -e go ]; do sleep 0.02; done; echo done; exit 5';
const letGoOn = (spec: ReturnType<typeof createSpec>) => writeFile(join(spec.cwd, 'go'), '');
const isGone = (pid: number) => async () => (await identifyProcess(pid)) === undefined;

test('a process that a spawner starts has no file of the service open, and no variable of it', async () => {
  const spec = createSpec('ls /proc/$$/fd; env | cut -d= -f1 | sort');
  expect(await exec(spec, neverAborted, createSpawner().start)).toEqual({ kind: 'exited', code: 0 });
  const lines = readLog(spec).trim().split('\n');
  const shellVariables = new Set(['_', 'PWD', 'OLDPWD', 'SHLVL']);
  expect(lines.filter((line) => !shellVariables.has(line))).toEqual([
    '0',
    '1',
    '2',
    'PATH',
    'RUNYARD_ATTEMPT_DIR',
  ]);
});

test('the death of the spawner affects no process, and the next start has another spawner', async () => {
  const spawner = createSpawner();
  const spec = createSpec(goOn);
  const running = exec(spec, neverAborted, spawner.start);
  await waitForOutput(spec, 'up');
  const first = spawner.pid() ?? 0;
  expect(readFileSync(`/proc/${first}/environ`, 'utf8')).toBe('');
  process.kill(first, 'SIGKILL');
  await eventually(() => spawner.pid(), { until: (pid) => pid === undefined });
  const second = createSpec('exit 3');
  expect(await exec(second, neverAborted, spawner.start)).toEqual({ kind: 'exited', code: 3 });
  expect(spawner.pid()).not.toBe(first);
  await letGoOn(spec);
  expect(await running).toEqual({ kind: 'exited', code: 5 });
  expect(readLog(spec)).toBe('up\ndone\n');
});

test('the spawner ends when its engine is killed, and the next engine adopts its processes', async () => {
  const spec = createSpec(goOn);
  const engine = await startEngine(spec);
  await waitForOutput(spec, 'up');
  const spawner = Number(readFileSync(`/proc/${engine.pid}/task/${engine.pid}/children`, 'utf8').trim());
  expect(await isGone(spawner)()).toBe(false);
  await killEngine(engine);
  await eventually(isGone(spawner), { until: Boolean });
  const again = exec(spec, neverAborted, createSpawner().start);
  await letGoOn(spec);
  expect(await again).toEqual({ kind: 'exited', code: 5 });
  expect(readLog(spec)).toBe('up\ndone\n');
});

test.each([
  ['cannot be started', ['/nonexistent']],
  ['ends at once', ['/bin/false']],
] as const)('a process starts although the spawner %s', async (_name, program) => {
  const spec = createSpec('echo once; exit 4');
  expect(await exec(spec, neverAborted, createSpawner(program).start)).toEqual({ kind: 'exited', code: 4 });
  expect(readLog(spec)).toBe('once\n');
});

test('a log that cannot be opened fails the start with its reason', async () => {
  const spec = createSpec('echo never');
  await mkdir(join(spec.directory, 'stdout'), { recursive: true });
  await expect(exec(spec, neverAborted, createSpawner().start)).rejects.toThrow('EISDIR');
});
