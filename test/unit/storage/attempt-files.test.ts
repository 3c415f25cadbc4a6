/** Files of attempts: directories, logs, output and values. */
import { readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAttemptFiles, type AttemptFiles } from '../../../storage/files/attempt-files.ts';
import { noMask } from '../../../engine/run/masking.ts';
import { rejectionOf, createTestRoots, type TestRoots } from './test-roots.ts';

const view = { mask: noMask, isComplete: true };

async function fresh(): Promise<TestRoots & { attempts: AttemptFiles }> {
  const tools = await createTestRoots();
  return { ...tools, attempts: createAttemptFiles(tools.roots) };
}

test('an attempt has one private directory, also after repeated calls', async () => {
  const { attempts, base } = await fresh();
  const directory = await attempts.ensureAttemptDirectory(7);
  expect(directory).toBe(join(base, 'data/runs/7'));
  expect(await attempts.ensureAttemptDirectory(7)).toBe(directory);
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
});

test('a cluster has one directory of its own', async () => {
  const { attempts, base } = await fresh();
  expect(await attempts.ensureClusterDirectory('0929-101010-abcd1234')).toBe(
    join(base, 'data/clusters/0929-101010-abcd1234'),
  );
});

test.each(['', '.', '..', '../runs/1', 'a/b', '/etc', 'a\0b', 'n'.repeat(256)])(
  'the cluster id %j is refused as a directory name',
  async (clusterId) => {
    const { attempts } = await fresh();
    expect(await rejectionOf(attempts.ensureClusterDirectory(clusterId))).toMatchObject({
      code: 'INVALID_PARAMETER_VALUE',
    });
  },
);

test.each([
  ['all of it', 100, 'out1\nerr1\n', false],
  ['exactly all of it', 10, 'out1\nerr1\n', false],
  ['part of stderr', 7, 'out1\ner', true],
  ['stdout alone', 5, 'out1\n', true],
  ['part of stdout', 3, 'out', true],
  ['nothing', 0, '', true],
])('logs are stdout followed by stderr: %s', async (_, limit, text, truncated) => {
  const { attempts, putFile } = await fresh();
  await putFile('data/runs/7/stdout', 'out1\n');
  await putFile('data/runs/7/stderr', 'err1\n');
  expect(await attempts.logs(7, limit, view)).toEqual({ text, truncated });
});

test.each([
  [4, 'aéé', true, 'aé'],
  [5, 'aéé', false, 'aéé'],
  [2, '😀', true, ''],
])('a limit of %i bytes never cuts a character of %s', async (limit, content, truncated, text) => {
  const { attempts, putFile } = await fresh();
  await putFile('data/runs/7/stdout', content);
  expect(await attempts.logs(7, limit, view)).toEqual({ text, truncated });
});

test('bytes that are no UTF-8 are replaced, at the end of a file too, and the limit still holds', async () => {
  const { attempts } = await fresh();
  const directory = await attempts.ensureAttemptDirectory(7);
  await writeFile(join(directory, 'stdout'), Buffer.from([0x61, 0xff, 0x62, 0xc3]));
  await writeFile(join(directory, 'stderr'), 'e');
  expect(await attempts.logs(7, 100, view)).toEqual({ text: 'a\uFFFDb\uFFFDe', truncated: false });
  expect(await attempts.logs(7, 5, view)).toEqual({ text: 'a\uFFFDb', truncated: true });
});

test('an attempt that has not begun has no logs and no output', async () => {
  const { attempts } = await fresh();
  expect(await attempts.logs(7, 100, view)).toEqual({ text: '', truncated: false });
  expect(await attempts.readOutput(7)).toBeUndefined();
});

test('a log that is a link is not followed', async () => {
  const { attempts, putFile } = await fresh();
  const secret = await putFile('outside/secret');
  await symlink(secret, join(await attempts.ensureAttemptDirectory(7), 'stdout'));
  expect(await attempts.logs(7, 100, view)).toEqual({ text: '', truncated: false });
});

test('the output is the one that the runner stored', async () => {
  const { attempts, putFile } = await fresh();
  const output = { result: '42', truncated: false, error: 'x', errorTrace: 'y' };
  await putFile('data/runs/7/output.json', JSON.stringify(output));
  expect(await attempts.readOutput(7)).toEqual(output);
});

test.each(['{', '[]', '"x"', '{"result":5}', 'null'])(
  'an output that something else wrote is said to be unreadable: %s',
  async (text) => {
    const { attempts, putFile } = await fresh();
    await putFile('data/runs/7/output.json', text);
    expect(await attempts.readOutput(7)).toEqual({ error: expect.stringContaining('cannot be read') });
  },
);

test('a removed attempt leaves nothing, and removing it again is no error', async () => {
  const { attempts, putFile, base } = await fresh();
  await putFile('data/runs/7/stdout');
  await putFile('data/runs/8/stdout');
  await attempts.removeAttempt(7);
  await attempts.removeAttempt(7);
  expect(await readdir(join(base, 'data/runs'))).toEqual(['8']);
});

test('removing a cluster leaves the others, a second time nothing happens, and an id that leads out is refused', async () => {
  const { attempts, putFile, base } = await fresh();
  await putFile('data/clusters/1120-000000-abcdefgh/file');
  await putFile('data/clusters/other/file');
  await attempts.removeCluster('1120-000000-abcdefgh');
  await attempts.removeCluster('1120-000000-abcdefgh');
  expect(await readdir(join(base, 'data/clusters'))).toEqual(['other']);
  await expect(attempts.removeCluster('..')).rejects.toThrow('must be a name without slashes');
});

test.each(['1120-000000-kept', '../../outside', 'nowhere'])(
  'removing a cluster whose directory has become a link to %s removes the link alone',
  async (target) => {
    const { attempts, putFile, base } = await fresh();
    await putFile('data/clusters/1120-000000-kept/file');
    await putFile('outside/file');
    await symlink(target, join(base, 'data/clusters/link'));
    await attempts.removeCluster('link');
    expect(await readdir(join(base, 'data/clusters'))).toEqual(['1120-000000-kept']);
    expect(await readdir(join(base, 'data/clusters/1120-000000-kept'))).toEqual(['file']);
    expect(await readdir(join(base, 'outside'))).toEqual(['file']);
  },
);

test.each<[string, string, object]>([
  ['what the task set', '{"k":"\\"v\\"","n":"1.0"}', { k: '"v"', n: '1.0' }],
  ['a key like no other', '{"__proto__":"1"}', JSON.parse('{"__proto__":"1"}')],
  ['nothing of a file that something else wrote', '{"k":1}', {}],
  ['nothing of a list', '["k"]', {}],
  ['nothing of half a file', '{"k":', {}],
])('the values of an attempt: %s', async (_fact, text, values) => {
  const { attempts, putFile } = await fresh();
  await putFile('data/runs/7/values.json', text);
  expect(await attempts.readTaskValues(7)).toEqual(values);
});

test('an attempt that set no values has none', async () => {
  const { attempts } = await fresh();
  expect(await attempts.readTaskValues(7)).toEqual({});
});
