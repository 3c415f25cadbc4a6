/** JAR tasks, with the machine's own java; those that need it are skipped on a machine without. */
import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunnerContext } from '../../runners/contract.ts';
import { plugin } from '../../runners/jar/jar.ts';
import { findProgram, testContext, type TestContext } from './context.ts';

const javac = await findProgram('javac');
const jar = await findProgram('jar');
const failed = { kind: 'failed', message: 'Workload failed, see run output for details' };

const source = `
public class Main {
  public static void main(String[] args) {
    System.out.println(String.join("|", args));
    if (args.length == 0) throw new IllegalStateException("no arguments", new RuntimeException("behind it"));
    System.exit(Integer.parseInt(args[0]));
  }
}`;

test('a missing JAR fails the task with a sentence that names it', async () => {
  const context = await testContext({ libraries: [{ jar: 'managed_fs:/gone.jar' }] });
  expect(await plugin.run({ main_class_name: 'Main' }, context)).toEqual({ kind: 'failed', message: 'managed_fs:/gone.jar does not exist.' });
});

test('a task without any JAR is told where to name it', async () => {
  const context = await testContext({ libraries: [{ pypi: { package: 'x' } }] });
  expect(await plugin.run({ main_class_name: 'Main' }, context)).toMatchObject({ message: expect.stringContaining('name it in libraries') });
});

test('a machine without java says what to install', async () => {
  const context = await testContext({ interpreter: () => Promise.resolve(undefined), locate: () => Promise.resolve('/x.jar') });
  const outcome = await plugin.run({ main_class_name: 'Main', jar_uri: 'managed_fs:/x.jar' }, context);
  expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringMatching(/^java was not found on this machine\. Install a Java runtime/) });
});

describe.skipIf(javac === undefined || jar === undefined)('with a real JAR', () => {
  let built: string;

  beforeAll(async () => {
    built = await mkdtemp(join(tmpdir(), 'runyard-jar-'));
    await writeFile(join(built, 'Main.java'), source);
    execFileSync(javac ?? '', ['Main.java'], { cwd: built });
    execFileSync(jar ?? '', ['cf', 'main.jar', 'Main.class'], { cwd: built });
  });
  afterAll(() => rm(built, { recursive: true, force: true }));

  async function withJar(changes: Partial<RunnerContext> = { libraries: [{ jar: 'managed_fs:/main.jar' }] }): Promise<TestContext> {
    const context = await testContext(changes);
    await cp(join(built, 'main.jar'), join(context.managedFs, 'main.jar'));
    return context;
  }

  test('spec 2.7, 2.10: main gets the parameters as they are', async () => {
    const context = await withJar();
    const task = { main_class_name: 'Main', parameters: ['0', 'a b', ''] };
    expect(await plugin.run(task, context)).toEqual({ kind: 'succeeded' });
    expect(await context.stdout()).toBe('0|a b|\n');
  });

  test('spec 2.7: the deprecated jar_uri is on the class path too', async () => {
    const context = await withJar({});
    const task = { main_class_name: 'Main', jar_uri: 'managed_fs:/main.jar', parameters: ['0'] };
    expect(await plugin.run(task, context)).toEqual({ kind: 'succeeded' });
  });

  test('an uncaught exception is the error, with its whole trace', async () => {
    const context = await withJar();
    expect(await plugin.run({ main_class_name: 'Main' }, context)).toEqual(failed);
    expect(context.output()?.error).toBe('java.lang.IllegalStateException: no arguments');
    expect(context.output()?.errorTrace).toMatch(/^Exception in thread "main" [^]*at Main\.main[^]*Caused by: java\.lang\.RuntimeException: behind it/);
  });

  test.each<[string, { main_class_name: string; parameters: string[] }, string]>([
    ['an exit code', { main_class_name: 'Main', parameters: ['4'] }, 'The Java program ended with exit code 4.'],
    ['a class that is not there', { main_class_name: 'Gone', parameters: [] }, 'Could not find or load main class Gone'],
  ])('%s is the error', async (_fact, task, error) => {
    const context = await withJar();
    expect(await plugin.run(task, context)).toEqual(failed);
    expect(context.output()?.error).toBe(error);
  });
});
