/** JAR tasks, with the machine's own java; those that need it are skipped on a machine without. */
import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunnerContext } from '../../../runners/contract.ts';
import { jarRunner } from '../../../runners/jar/jar.ts';
import { uncaughtException } from '../../../runners/jar/stack-trace.ts';
import { findProgram, createTestContext, type TestContext } from './test-context.ts';

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

/** A cluster that has these JARs. */
const clusterWith = (...classPath: string[]) => ({
  clusterId: 'c',
  directory: '/c',
  environment: {},
  libraries: { classPath, pythonPath: [], binPath: [] },
});

test('a missing jar_uri fails the task with a message that names it', async () => {
  const context = await createTestContext();
  expect(
    await jarRunner.run({ main_class_name: 'Main', jar_uri: 'managed_fs:/gone.jar' }, context),
  ).toMatchObject({ kind: 'failed', message: 'managed_fs:/gone.jar does not exist.' });
});

test.each(['-version', '@/etc/passwd', ' '])(
  'the main class name "%s" is not passed to java as an option',
  async (name) => {
    const context = await createTestContext({ cluster: clusterWith() });
    const message = `spark_jar_task.main_class_name is "${name}"; it must be the full name of a class, for example com.example.Main.`;
    expect(await jarRunner.run({ main_class_name: name }, context)).toMatchObject({
      kind: 'failed',
      message,
    });
  },
);

test('a task without a JAR fails with a message that names the fields for it', async () => {
  const context = await createTestContext({ cluster: clusterWith() });
  expect(await jarRunner.run({ main_class_name: 'Main' }, context)).toMatchObject({
    message: expect.stringContaining('No JAR is given for the class Main; add it to libraries'),
  });
});

const threads = `
public class Threads {
  public static void main(String[] args) throws Exception {
    Thread helper = new Thread(() -> { throw new RuntimeException("in the helper"); }, "helper");
    helper.start();
    helper.join();
    if (args.length == 0) System.exit(1);
  }
}`;

test('a machine without java fails the task with a message that names what to install', async () => {
  const context = await createTestContext({
    interpreter: () => Promise.resolve(undefined),
    locate: () => Promise.resolve('/x.jar'),
  });
  const outcome = await jarRunner.run({ main_class_name: 'Main', jar_uri: 'managed_fs:/x.jar' }, context);
  expect(outcome).toMatchObject({
    kind: 'failed',
    message: expect.stringMatching(/^java was not found on this machine\. Install a Java runtime/),
  });
});

describe.skipIf(javac === undefined || jar === undefined)('with a real JAR', () => {
  let built: string;

  beforeAll(async () => {
    built = await mkdtemp(join(tmpdir(), 'runyard-jar-'));
    await writeFile(join(built, 'Main.java'), source);
    await writeFile(join(built, 'NoMain.java'), 'public class NoMain {}');
    await writeFile(join(built, 'Base.java'), 'public class Base {}');
    await writeFile(
      join(built, 'Needy.java'),
      'public class Needy extends Base { public static void main(String[] a) {} }',
    );
    await writeFile(join(built, 'Threads.java'), threads);
    execFileSync(javac ?? '', ['Main.java', 'NoMain.java', 'Base.java', 'Needy.java', 'Threads.java'], {
      cwd: built,
    });
    execFileSync(
      jar ?? '',
      ['cf', 'main.jar', 'Main.class', 'NoMain.class', 'Needy.class', 'Threads.class'],
      { cwd: built },
    );
  });
  afterAll(() => rm(built, { recursive: true, force: true }));

  async function withJar(
    changes: Partial<RunnerContext> = { cluster: clusterWith(join(built, 'main.jar')) },
  ): Promise<TestContext> {
    const context = await createTestContext(changes);
    await cp(join(built, 'main.jar'), join(context.managedFs, 'main.jar'));
    return context;
  }

  test('spec 2.7, 2.10: main receives the parameters unchanged', async () => {
    const context = await withJar();
    const task = { main_class_name: 'Main', parameters: ['0', 'a b', ''] };
    expect(await jarRunner.run(task, context)).toEqual({ kind: 'succeeded' });
    expect(await context.stdout()).toBe('0|a b|\n');
  });

  test('spec 2.7: the deprecated jar_uri is on the class path too, behind the libraries', async () => {
    const context = await withJar({ cluster: clusterWith('/libraries/a.jar') });
    const task = { main_class_name: 'Main', jar_uri: 'managed_fs:/main.jar', parameters: ['0'] };
    expect(await jarRunner.run(task, context)).toEqual({ kind: 'succeeded' });
    expect(context.startedCommands[0]?.argv[2]).toBe(
      `/libraries/a.jar:${join(context.managedFs, 'main.jar')}`,
    );
  });

  test('an uncaught exception is the error, with its complete trace', async () => {
    const context = await withJar();
    expect(await jarRunner.run({ main_class_name: 'Main' }, context)).toMatchObject(failed);
    expect(context.output()?.error).toBe('java.lang.IllegalStateException: no arguments');
    expect(context.output()?.errorTrace).toMatch(
      /^Exception in thread "main" [^]*at Main\.main[^]*Caused by: java\.lang\.RuntimeException: behind it/,
    );
  });

  test('an exception of another thread ends only that thread; it is the error if the program then fails', async () => {
    const [lives, exits] = [await withJar(), await withJar()];
    expect(await jarRunner.run({ main_class_name: 'Threads', parameters: ['goes on'] }, lives)).toEqual({
      kind: 'succeeded',
    });
    expect(await lives.stderr()).toContain(
      'Exception in thread "helper" java.lang.RuntimeException: in the helper',
    );
    expect(await jarRunner.run({ main_class_name: 'Threads' }, exits)).toMatchObject(failed);
    expect(exits.output()).toMatchObject({
      error: 'java.lang.RuntimeException: in the helper',
      errorTrace: expect.stringMatching(/^Exception in thread "helper" [^]*Threads/),
    });
  });

  test.each<[string, { main_class_name: string; parameters: string[] }, string]>([
    [
      'an exit code',
      { main_class_name: 'Main', parameters: ['4'] },
      'The Java program ended with exit code 4.',
    ],
    [
      'a class that is not there',
      { main_class_name: 'Gone', parameters: [] },
      'Could not find or load main class Gone',
    ],
    [
      'a class without a main method',
      { main_class_name: 'NoMain', parameters: [] },
      'Main method not found in class NoMain: it must have public static void main(String[] args)',
    ],
    [
      'a class that needs one which is not there',
      { main_class_name: 'Needy', parameters: [] },
      'Could not find or load main class Needy',
    ],
  ])('%s is the error', async (_fact, task, error) => {
    const context = await withJar();
    expect(await jarRunner.run(task, context)).toMatchObject(failed);
    expect(context.output()?.error).toBe(error);
  });
});

test('a class file of a newer Java version fails with a message that names the version', () => {
  const said =
    'Error: LinkageError occurred while loading main class Main\n\tjava.lang.UnsupportedClassVersionError: Main has been compiled by a more recent version\n';
  expect(uncaughtException(said)?.error).toBe(
    'LinkageError occurred while loading main class Main: java.lang.UnsupportedClassVersionError: Main has been compiled by a more recent version',
  );
});
