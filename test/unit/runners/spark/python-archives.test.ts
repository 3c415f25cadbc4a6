/** Python libraries for executors on other machines. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { list } from 'tar';
import { expect, test } from 'vitest';
import { packPythonPath } from '../../../../runners/spark/python-archives.ts';

test('a directory becomes an archive that Spark unpacks, an egg stays a file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'runyard-archives-'));
  try {
    await mkdir(join(directory, 'libraries', 'package'), { recursive: true });
    await writeFile(join(directory, 'libraries', 'package', '__init__.py'), '');
    await writeFile(join(directory, 'old.egg'), '');
    const packed = await packPythonPath(
      [join(directory, 'libraries'), join(directory, 'old.egg')],
      directory,
    );
    const [, archive = '', name = ''] = /^file:\/\/(.*)#(.*)$/.exec(packed.archives[0] ?? '') ?? [];
    expect(packed).toMatchObject({ files: [`file://${directory}/old.egg`], pythonPath: [`./${name}`] });
    const names: string[] = [];
    await list({ file: archive, onReadEntry: ({ path }) => names.push(path) });
    expect(names).toContain('./package/__init__.py');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
