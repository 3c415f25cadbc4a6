/** Submit tasks with a fake launcher of Spark, and with the built-in launcher and real programs. */
import { execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noLibraries } from '../../../engine/cluster/libraries.ts';
import { nodeTypeOf } from '../../../engine/cluster/node-types.ts';
import type { RunnerContext } from '../../../runners/contract.ts';
import { submitRunner } from '../../../runners/submit/submit.ts';
import { parseProperties } from '../../../runners/submit/spark-properties.ts';
import { findProgram, createTestContext, type TestContext } from './test-context.ts';

const javac = await findProgram('javac');
const jar = await findProgram('jar');
const failed = { kind: 'failed', message: 'Workload failed, see run output for details' };
const withoutSpark: Partial<RunnerContext> = {
  interpreter: async (program) => (program === 'spark-submit' ? undefined : findProgram(program)),
};
const cluster = {
  clusterId: 'c',
  directory: '/',
  environment: {},
  libraries: noLibraries,
  nodeType: nodeTypeOf('standard-4'),
  workers: 3,
};

/** A context whose managed_fs holds these files. */
async function holding(
  files: Readonly<Record<string, string>>,
  changes: Partial<RunnerContext> = withoutSpark,
): Promise<TestContext> {
  const context = await createTestContext(changes);
  for (const [name, text] of Object.entries(files)) await writeFile(join(context.managedFs, name), text);
  return context;
}

const submit = (context: TestContext, ...parameters: string[]) => submitRunner.run({ parameters }, context);

describe('with a Spark on this machine', () => {
  const launcher = '#!/bin/sh\nprintf "%s\\n" "$@"\n';

  async function withSpark(place: (context: TestContext) => Partial<RunnerContext>): Promise<TestContext> {
    const context = await holding({ 'app.jar': '', 'a.jar': '', 'data.txt': '' }, { cluster });
    await mkdir(join(context.directory, 'bin'));
    const file = join(context.directory, 'bin', 'spark-submit');
    await writeFile(file, launcher);
    await chmod(file, 0o755);
    return { ...context, ...place(context) };
  }
  const homes: readonly [string, (context: TestContext) => Partial<RunnerContext>][] = [
    [
      'in SPARK_HOME',
      (context) => ({ environment: { SPARK_HOME: context.directory }, interpreter: async () => undefined }),
    ],
    [
      'on the PATH of the task',
      (context) => ({ interpreter: async () => join(context.directory, 'bin', 'spark-submit') }),
    ],
  ];

  test.each(homes)(
    'spec 2.7: its own launcher, %s, gets master, deploy mode and cores from the service, and files by their paths',
    async (_fact, place) => {
      const context = await withSpark(place);
      const given = [
        '--class',
        'Main',
        '--jars=managed_fs:/a.jar,https://example.org/b.jar',
        '--verbose',
        '--files',
        'managed_fs:/data.txt#d',
        '--packages',
        'g:a:1',
        'managed_fs:/app.jar',
        '--master',
        'managed_fs:/x',
      ];
      expect(await submit(context, ...given)).toEqual({ kind: 'succeeded' });
      const [a, app, data] = ['a.jar', 'app.jar', 'data.txt'].map((name) => join(context.managedFs, name));
      expect((await context.stdout()).trim().split('\n')).toEqual([
        '--master',
        'local[12]',
        '--deploy-mode',
        'client',
        '--executor-cores',
        '4',
        '--class',
        'Main',
        '--jars',
        `${a},https://example.org/b.jar`,
        '--verbose',
        '--files',
        `${data}#d`,
        '--packages',
        'g:a:1',
        app,
        '--master',
        'managed_fs:/x',
      ]);
    },
  );
});

describe('without Spark', () => {
  const python = `import os, sys, extra, packed
print(sys.argv[1:], extra.name, packed.name, open("d.txt").read(), open(os.environ["SPARK_CONF_DIR"] + "/spark-defaults.conf").read())`;

  test('a Python application has its modules, its files, its configuration and its arguments, and is told that this is not Spark', async () => {
    const context = await holding({
      'app.py': python,
      'extra.py': 'name = "extra"',
      'data.txt': 'data',
      'conf.properties': '# comment\nspark.a 1\nspark.b = 2\nspark.c: 3\n',
    });
    const zip = await holding({ 'packed.py': 'name = "packed"' });
    execFileSync('python3', [
      '-c',
      'import sys, zipfile\nzipfile.ZipFile(sys.argv[1], "w").write(sys.argv[2], "packed.py")',
      join(context.managedFs, 'packed.zip'),
      join(zip.managedFs, 'packed.py'),
    ]);
    const outcome = await submit(
      context,
      '--name',
      'My app',
      '--py-files',
      'managed_fs:/extra.py,managed_fs:/packed.zip',
      '--files=managed_fs:/data.txt#d.txt',
      '--properties-file',
      'managed_fs:/conf.properties',
      '--conf',
      'spark.b=two',
      '--driver-memory',
      '64m',
      'managed_fs:/app.py',
      '--name',
      'x y',
    );
    expect(await context.stderr()).toMatch(/^Runyard: this is not Spark\./);
    expect(outcome).toEqual({ kind: 'succeeded' });
    expect(await context.stdout()).toBe(
      "['--name', 'x y'] extra packed data spark.a 1\nspark.b two\nspark.c 3\nspark.app.name My app\nspark.driver.memory 64m\n\n",
    );
  });

  test('an application that fails has the reason after the announcement', async () => {
    const context = await holding({ 'app.py': '1 / 0' });
    expect(await submit(context, 'managed_fs:/app.py')).toMatchObject(failed);
    expect(context.output()).toMatchObject({
      error: 'ZeroDivisionError: division by zero',
      errorTrace: expect.stringMatching(/^Traceback/),
    });
  });

  test.each<[string, string[], string]>([
    [
      'an option that only Spark understands',
      ['--packages', 'g:a:1', 'managed_fs:/app.py'],
      'spark_submit_task.parameters[0] is "--packages"; without Spark (SPARK_HOME, or spark-submit on the PATH) only --class, --jars,',
    ],
    [
      'an option without its value',
      ['--conf'],
      'spark_submit_task.parameters[0] is "--conf"; it requires a value.',
    ],
    [
      'no application',
      ['--verbose'],
      'spark_submit_task.parameters has no application; a .jar or .py file must follow the options.',
    ],
    [
      'a property without a value',
      ['--conf', 'spark.a', 'managed_fs:/app.py'],
      '--conf is "spark.a"; it must have the form name=value.',
    ],
    [
      'an amount of memory that is none',
      ['--driver-memory', 'lots', 'managed_fs:/app.py'],
      'spark.driver.memory is "lots"; it must be an amount of memory, for example 512m or 2g.',
    ],
    [
      'a module of another kind',
      ['--py-files', 'managed_fs:/m.tar', 'managed_fs:/app.py'],
      '--py-files has "managed_fs:/m.tar"; it supports .py, .zip and .egg files.',
    ],
    [
      'a file that is not there',
      ['--files', 'managed_fs:/gone', 'managed_fs:/app.py'],
      'managed_fs:/gone does not exist.',
    ],
    [
      'a file that would climb out',
      ['--files', 'managed_fs:/app.py#../x', 'managed_fs:/app.py'],
      '--files has "managed_fs:/app.py#../x"; the alias after "#" must be a plain file name.',
    ],
    [
      'an application of another kind',
      ['managed_fs:/app.R'],
      'The application "app.R" is neither a .jar nor a .py file; other files cannot be run without Spark.',
    ],
    [
      'a class that is an option of Java',
      ['--class', '-version', 'managed_fs:/app.jar'],
      '--class is "-version"; it must be the full name of a class, for example com.example.Main.',
    ],
    [
      'a JAR without a class',
      ['managed_fs:/app.jar'],
      'spark_submit_task.parameters has no --class, which must name the class with the main method.',
    ],
  ])('%s fails the task with the reason', async (_fact, parameters, message) => {
    const context = await holding({ 'app.py': 'print("never")', 'app.R': '', 'app.jar': '' });
    const outcome = await submit(context, ...parameters);
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining(message) });
    expect(context.startedCommands).toEqual([]);
  });
});

test.each<[string, [string, string][]]>([
  [
    'a=b\n\n!c\nd   e f\r\ng:h=i',
    [
      ['a', 'b'],
      ['d', 'e f'],
      ['g', 'h=i'],
    ],
  ],
  ['alone', [['alone', '']]],
])('the properties of %j', (text, expected) => {
  expect([...parseProperties(text)]).toEqual(expected);
});

describe.skipIf(javac === undefined || jar === undefined)('without Spark, with a real JAR', () => {
  let built: string;
  const sources = {
    Main: 'public class Main { public static void main(String[] a) { System.out.println(String.join("|", a) + " " + Beside.name() + " " + System.getProperty("spark.a") + " " + Runtime.getRuntime().maxMemory() / 1048576); } }',
    Beside: 'public class Beside { static String name() { return "beside"; } }',
  };

  beforeAll(async () => {
    built = await mkdtemp(join(tmpdir(), 'runyard-submit-'));
    for (const [name, source] of Object.entries(sources))
      await writeFile(join(built, `${name}.java`), source);
    execFileSync(javac ?? '', ['Main.java', 'Beside.java'], { cwd: built });
    execFileSync(jar ?? '', ['cf', 'main.jar', 'Main.class'], { cwd: built });
    execFileSync(jar ?? '', ['cf', 'beside.jar', 'Beside.class'], { cwd: built });
  });
  afterAll(() => rm(built, { recursive: true, force: true }));

  test('the class runs with its JARs, its properties and its memory', async () => {
    const context = await holding({});
    for (const name of ['main.jar', 'beside.jar']) await cp(join(built, name), join(context.managedFs, name));
    expect(
      await submit(
        context,
        '--class',
        'Main',
        '--jars',
        'managed_fs:/beside.jar',
        '--conf=spark.a=x=y',
        '--driver-memory',
        '48m',
        'managed_fs:/main.jar',
        'one',
        '--two',
      ),
    ).toEqual({ kind: 'succeeded' });
    expect(await context.stdout()).toMatch(/^one\|--two beside x=y \d+\n$/);
    expect(Number((await context.stdout()).trim().split(' ').at(-1))).toBeLessThanOrEqual(48);
    expect(await readFile(join(context.directory, 'conf', 'spark-defaults.conf'), 'utf8')).toBe(
      'spark.a x=y\nspark.driver.memory 48m\n',
    );
  });
});
