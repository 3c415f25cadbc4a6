/** JARs as libraries and programs (spec 2.7, 2.8), through HTTP. */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { findProgram } from '../unit/runners/test-context.ts';
import {
  registerService,
  newCluster,
  packageDirectory,
  put,
  submit,
  logsOf,
  entries,
} from './libraries-harness.ts';

registerService();

const [javac, jar, java] = [await findProgram('javac'), await findProgram('jar'), await findProgram('java')];

describe.skipIf(javac === undefined || jar === undefined || java === undefined)('JARs', () => {
  beforeAll(async () => {
    await writeFile(
      join(packageDirectory, 'Part.java'),
      'public class Part { public static String word() { return "part"; } }',
    );
    await writeFile(
      join(packageDirectory, 'Main.java'),
      'public class Main { public static void main(String[] a) { System.out.println(Part.word() + a.length); if (a.length > 1) System.exit(Integer.parseInt(a[1])); } }',
    );
    execFileSync(javac ?? '', ['Part.java', 'Main.java'], { cwd: packageDirectory });
    execFileSync(jar ?? '', ['cf', 'main.jar', 'Main.class'], { cwd: packageDirectory });
    execFileSync(jar ?? '', ['cf', 'part.jar', 'Part.class'], { cwd: packageDirectory });
    for (const file of ['main.jar', 'part.jar']) await put(`/${file}`, join(packageDirectory, file));
  });
  const libraries = [{ jar: 'managed_fs:/main.jar' }, { jar: 'managed_fs:/part.jar' }];
  const main = (parameters: readonly string[], more: object = { libraries }) => ({
    task_key: 'a',
    new_cluster: newCluster,
    spark_jar_task: { main_class_name: 'Main', parameters },
    ...more,
  });

  test.each<[string, object, string, string]>([
    ['both are on the class path', main(['x']), 'SUCCESS', 'part1\n'],
    ['System.exit(0) succeeds', main(['x', '0']), 'SUCCESS', 'part2\n'],
    ['another code fails', main(['x', '3']), 'FAILED', 'The Java program ended with exit code 3.'],
    [
      'a class that is missing at run time is named',
      main([], { libraries: libraries.slice(0, 1) }),
      'FAILED',
      'java.lang.NoClassDefFoundError: Part',
    ],
    [
      'a file that is no archive',
      main([], { libraries: [{ jar: 'managed_fs:/imports.py' }] }),
      'FAILED',
      expect.stringContaining(
        'Library installation failed for library due to user error. Error messages: jar managed_fs:/imports.py: not a valid JAR: not a zip archive',
      ),
    ],
  ])('spec 2.7, 2.8: %s', async (_fact, task, result, logs) => {
    const run = await submit([task]);
    expect([run.tasks[0].state.result_state, await logsOf(run, 'a')]).toEqual([result, logs]);
  });

  test('a JAR that is replaced later does not change on a cluster that has it, nor in the cache', async () => {
    const kept = await entries('files');
    const on = { libraries, existing_cluster_id: 'jars', new_cluster: undefined };
    await submit([main([], on)]);
    expect(await entries('files')).toEqual(kept);
    await put('/part.jar', join(packageDirectory, 'main.jar'));
    expect(await logsOf(await submit([main([], on)]), 'a')).toBe('part0\n');
    expect((await submit([main([])])).state.result_state).toBe('FAILED');
  });
});
