/**
 * Libraries from the public registries: `npm run online`. The tests are skipped when a registry is
 * unreachable.
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

/** `npm test` must not depend on external services. */
const enabled = process.env['RUNYARD_TEST_ONLINE'] !== undefined;
const python = await findPythonWithPip();
const [mvn, javac, jar] = [await findProgram('mvn'), await findProgram('javac'), await findProgram('jar')];
const new_cluster = { spark_version: '16.4.x-scala2.12', node_type_id: 'standard-2', num_workers: 1 };

/** Messages of the installers about an unreachable registry. */
const offline =
  /from versions: none|Connection|Could not transfer|UnknownHost|Unknown host|timed out|No plugin found|could not be resolved/;

let runyard: TestService;
let buildDirectory: string;
beforeAll(async () => {
  buildDirectory = await mkdtemp(join(tmpdir(), 'runyard-online-'));
  runyard = await startTestService({ libraryEnvironment: { PIP_RETRIES: '0', PIP_DEFAULT_TIMEOUT: '15' } });
});
afterAll(async () => {
  await runyard.stop();
  await rm(buildDirectory, { recursive: true, force: true });
});

/** Runs a task with libraries and returns its output, or the error of its run. */
async function runTask(task: object): Promise<string> {
  const { run_id } = await runyard.callOk('POST', '2.0/jobs/runs/submit', { new_cluster, ...task });
  const run: ResponseBody = await runyard.waitForRunEnd(run_id);
  const { logs, error } = await runyard.callOk('GET', '2.0/jobs/runs/get-output', { run_id });
  return run.state.result_state === 'SUCCESS' ? logs : error;
}

test.skipIf(!enabled || python === undefined)(
  'spec 2.8: a PyPI library with an exact version is installed from the default index',
  async ({ skip }) => {
    await runyard.putFile('/six.version.py', 'import six\nprint(six.__version__)\n');
    const output = await runTask({
      libraries: [{ pypi: { package: 'six==1.16.0' } }],
      spark_python_task: { python_file: 'managed_fs:/six.version.py' },
    });
    skip(offline.test(output), 'the package index does not answer');
    expect(output).toBe('1.16.0\n');
  },
);

test.skipIf(!enabled || mvn === undefined || javac === undefined || jar === undefined)(
  'spec 2.8: Maven libraries are installed with their dependencies, without the excluded ones',
  async ({ skip }) => {
    await writeFile(
      join(buildDirectory, 'ClassProbe.java'),
      `public class ClassProbe { public static void main(String[] names) {
    for (String name : names) try { System.out.println(Class.forName("org.apache.commons." + name).getSimpleName()); } catch (Throwable error) { System.out.println("no " + name); } } }`,
    );
    execFileSync(javac ?? '', ['ClassProbe.java'], { cwd: buildDirectory });
    execFileSync(jar ?? '', ['cf', 'class-probe.jar', 'ClassProbe.class'], { cwd: buildDirectory });
    await runyard.callOk('POST', '2.0/managed_fs/put', {
      path: '/class-probe.jar',
      contents: (await readFile(join(buildDirectory, 'class-probe.jar'))).toString('base64'),
    });
    const output = await runTask({
      libraries: [
        { jar: 'managed_fs:/class-probe.jar' },
        {
          maven: {
            coordinates: 'org.apache.commons:commons-text:1.10.0',
            exclusions: ['org.apache.commons:commons-lang3'],
          },
        },
        { maven: { coordinates: 'org.apache.commons:commons-csv:1.11.0' } },
      ],
      spark_jar_task: {
        main_class_name: 'ClassProbe',
        parameters: ['text.WordUtils', 'lang3.StringUtils', 'csv.CSVFormat', 'io.IOUtils'],
      },
    });
    skip(offline.test(output), 'the Maven repository does not answer');
    expect(output).toBe('WordUtils\nno lang3.StringUtils\nCSVFormat\nIOUtils\n');
  },
  300_000,
);
