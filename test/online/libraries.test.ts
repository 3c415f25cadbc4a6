/**
 * Libraries from the public registries: `npm run online`. Where those do not answer, these tests are left out
 * and say so.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findProgram } from '../unit/runners/test-context.ts';
import type { ResponseBody } from '../harness/api-client.ts';
import { findPythonWithPip } from '../harness/python-packages.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

/** Whatever `npm test` finds must not depend on machines of others. */
const wanted = process.env['RUNYARD_TEST_ONLINE'] !== undefined;
const python = await findPythonWithPip();
const [mvn, javac, jar] = [await findProgram('mvn'), await findProgram('javac'), await findProgram('jar')];
const new_cluster = { spark_version: '16.4.x-scala2.12', node_type_id: 'standard-2', num_workers: 1 };

/** What the installers say when nobody answers. */
const offline =
  /from versions: none|Connection|Could not transfer|UnknownHost|Unknown host|timed out|No plugin found|could not be resolved/;

let runyard: TestService;
let built: string;
beforeAll(async () => {
  built = await mkdtemp(join(tmpdir(), 'runyard-online-'));
  runyard = await startTestService({ libraryEnvironment: { PIP_RETRIES: '0', PIP_DEFAULT_TIMEOUT: '15' } });
});
afterAll(async () => {
  await runyard.stop();
  await rm(built, { recursive: true, force: true });
});

/** What a task with these libraries says, or why it could not. */
async function said(task: object): Promise<string> {
  const { run_id } = await runyard.callOk('POST', '2.0/jobs/runs/submit', { new_cluster, ...task });
  const run: ResponseBody = await runyard.waitForRunEnd(run_id);
  const { logs, error } = await runyard.callOk('GET', '2.0/jobs/runs/get-output', { run_id });
  return run.state.result_state === 'SUCCESS' ? logs : error;
}

test.skipIf(!wanted || python === undefined)(
  'spec 2.8: a package of the default index, in its exact version',
  async ({ skip }) => {
    await runyard.putFile('/six.version.py', 'import six\nprint(six.__version__)\n');
    const words = await said({
      libraries: [{ pypi: { package: 'six==1.16.0' } }],
      spark_python_task: { python_file: 'managed_fs:/six.version.py' },
    });
    skip(offline.test(words), 'the package index does not answer');
    expect(words).toBe('1.16.0\n');
  },
);

test.skipIf(!wanted || mvn === undefined || javac === undefined || jar === undefined)(
  'spec 2.8: Maven packages with what they need, without what is excluded',
  async ({ skip }) => {
    await writeFile(
      join(built, 'Look.java'),
      `public class Look { public static void main(String[] names) {
    for (String name : names) try { System.out.println(Class.forName("org.apache.commons." + name).getSimpleName()); } catch (Throwable error) { System.out.println("no " + name); } } }`,
    );
    execFileSync(javac ?? '', ['Look.java'], { cwd: built });
    execFileSync(jar ?? '', ['cf', 'look.jar', 'Look.class'], { cwd: built });
    await runyard.callOk('POST', '2.0/managed_fs/put', {
      path: '/look.jar',
      contents: (await readFile(join(built, 'look.jar'))).toString('base64'),
    });
    const words = await said({
      libraries: [
        { jar: 'managed_fs:/look.jar' },
        {
          maven: {
            coordinates: 'org.apache.commons:commons-text:1.10.0',
            exclusions: ['org.apache.commons:commons-lang3'],
          },
        },
        { maven: { coordinates: 'org.apache.commons:commons-csv:1.11.0' } },
      ],
      spark_jar_task: {
        main_class_name: 'Look',
        parameters: ['text.WordUtils', 'lang3.StringUtils', 'csv.CSVFormat', 'io.IOUtils'],
      },
    });
    skip(offline.test(words), 'the Maven repository does not answer');
    expect(words).toBe('WordUtils\nno lang3.StringUtils\nCSVFormat\nIOUtils\n');
  },
  300_000,
);
