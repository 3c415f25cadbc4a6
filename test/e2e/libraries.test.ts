/**
 * Libraries through HTTP (spec 2.8): every kind is really installed, once, and a failure says which one and
 * why. Nothing here needs a network.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findProgram } from '../unit/runners/test-context.ts';
import type { ResponseBody } from '../harness/api-client.ts';
import {
  buildEgg,
  buildWheelhouse,
  buildWheels,
  findPythonWithPip,
  startPackageIndex,
  type PackageIndex,
} from '../harness/python-packages.ts';
import { startObjectServer, type ObjectServer } from '../harness/s3-server.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

const python = await findPythonWithPip();
const [javac, jar, java] = [await findProgram('javac'), await findProgram('jar'), await findProgram('java')];
const newCluster = { spark_version: '16.4.x-scala2.12', node_type_id: 'standard-2', num_workers: 1 };

let runyard: TestService;
let index: PackageIndex;
let objects: ObjectServer;
let made: string;

beforeAll(async () => {
  made = await mkdtemp(join(tmpdir(), 'runyard-packages-'));
  const wheels =
    python === undefined
      ? []
      : await buildWheels(python, made, [
          {
            name: 'greeting',
            version: '1.0',
            module: 'import tone\ndef say(): return "hello" + tone.mark\ndef main(): print(say())\n',
            requires: ['tone'],
            scripts: { greet: 'greeting:main' },
          },
          { name: 'tone', version: '1.0', module: 'mark = "."\n' },
          { name: 'tone', version: '2.0', module: 'mark = "!"\n' },
          { name: 'volume', version: '1.0', module: 'level = 11\n' },
          { name: 'strict', version: '1.0', module: '', requires: ['tone==1.0'] },
          { name: 'slow', version: '1.0', module: 'speed = "slow"\n', extras: { loud: ['volume'] } },
        ]);
  index = await startPackageIndex(wheels);
  objects = await startObjectServer('key', 'secret');
  runyard = await startTestService({
    libraryEnvironment: { PIP_INDEX_URL: index.url, PIP_RETRIES: '0' },
    objstoreEndpoint: objects.url,
    objstoreAccessKey: 'key',
    objstoreSecretKey: 'secret',
  });
  await runyard.putFile(
    '/imports.py',
    'import importlib, sys\nfor name in sys.argv[1:]:\n    module, attribute = name.split(".")\n    value = getattr(importlib.import_module(module), attribute)\n    print(value() if callable(value) else value)\n',
  );
});
afterAll(async () => {
  await runyard.stop();
  await index.close();
  await objects.close();
  await rm(made, { recursive: true, force: true });
});

async function put(path: string, file: string): Promise<void> {
  await runyard.callOk('POST', '2.0/managed_fs/put', {
    path,
    contents: (await readFile(file)).toString('base64'),
    overwrite: true,
  });
}

const imports = (
  task_key: string,
  libraries: readonly object[],
  names: readonly string[],
  more: object = { new_cluster: newCluster },
) => ({
  task_key,
  libraries,
  spark_python_task: { python_file: 'managed_fs:/imports.py', parameters: names },
  ...more,
});

async function submit(tasks: readonly object[], job_clusters: readonly object[] = []): Promise<ResponseBody> {
  const { job_id } = await runyard.callOk('POST', '2.1/jobs/create', {
    name: 'libraries',
    tasks,
    job_clusters,
  });
  const { run_id } = await runyard.callOk('POST', '2.1/jobs/run-now', { job_id });
  return runyard.waitForRunEnd(run_id);
}
const outputOf = (run: ResponseBody, key: string): Promise<ResponseBody> =>
  runyard.callOk('GET', '2.1/jobs/runs/get-output', {
    run_id: run.tasks.find((task: ResponseBody) => task.task_key === key).run_id,
  });
const logsOf = async (run: ResponseBody, key: string): Promise<string> => {
  const output = await outputOf(run, key);
  return output.error ?? output.logs;
};
const statusesOf = async (cluster_id: string): Promise<ResponseBody[]> =>
  (await runyard.callOk('GET', '2.0/libraries/cluster-status', { cluster_id })).library_statuses;
const entries = (part: string): Promise<string[]> => readdir(join(runyard.dataDirectory, 'libraries', part));

describe.skipIf(python === undefined)('Python libraries', () => {
  test('spec 2.8: a wheel is installed with what it needs and its programs, shown as installed, and not installed again for another cluster', async () => {
    await put('/greeting-1.0-py3-none-any.whl', join(made, 'greeting-1.0-py3-none-any.whl'));
    await runyard.putFile(
      '/script.py',
      'import subprocess\nprint(subprocess.run(["greet"], capture_output=True, text=True).stdout.strip())\n',
    );
    await runyard.putNotebook('/greet', ['import greeting', 'dbutils.notebook.exit(greeting.say())']);
    const libraries = [{ whl: 'dbfs:/greeting-1.0-py3-none-any.whl' }, { pypi: { package: 'tone==2.0' } }];
    const run = await submit(
      [
        imports('imports', libraries, ['greeting.say'], { job_cluster_key: 'shared' }),
        // It names none itself: the cluster has them.
        {
          task_key: 'script',
          job_cluster_key: 'shared',
          depends_on: [{ task_key: 'imports' }],
          spark_python_task: { python_file: 'managed_fs:/script.py' },
        },
        {
          task_key: 'notebook',
          job_cluster_key: 'shared',
          depends_on: [{ task_key: 'imports' }],
          notebook_task: { notebook_path: '/greet' },
        },
      ],
      [{ job_cluster_key: 'shared', new_cluster: newCluster }],
    );
    expect([await logsOf(run, 'imports'), await logsOf(run, 'script')]).toEqual(['hello!\n', 'hello!\n']);
    expect((await outputOf(run, 'notebook')).notebook_output).toEqual({ result: 'hello!', truncated: false });
    expect(run.state).toMatchObject({ result_state: 'SUCCESS', state_message: '' });
    expect(await statusesOf(run.tasks[0].cluster_instance.cluster_id)).toEqual(
      libraries.map((library) => ({
        library,
        status: 'INSTALLED',
        messages: [],
        is_library_for_all_clusters: false,
      })),
    );
    const before = [index.servedFiles.length, await entries('python')];
    expect(await logsOf(await submit([imports('a', libraries, ['greeting.say'])]), 'a')).toBe('hello!\n');
    expect([index.servedFiles.length, await entries('python')]).toEqual(before);
  });

  test('spec 2.8: all wheels of a wheelhouse are installed; an egg is importable, as a file and as a folder', async () => {
    await buildWheelhouse(python ?? '', join(made, 'all.wheelhouse.zip'), [
      {
        name: 'upper',
        version: '1.0',
        module: 'import lower\nword = lower.word.upper()\n',
        requires: ['lower>=1'],
      },
      { name: 'lower', version: '1.0', module: 'word = "both"\n' },
    ]);
    await buildEgg(python ?? '', join(made, 'nest-1.0-py3.egg'), {
      name: 'nest',
      version: '1.0',
      module: 'eggs = 3\n',
    });
    for (const file of ['all.wheelhouse.zip', 'nest-1.0-py3.egg']) await put(`/${file}`, join(made, file));
    const folder = join(runyard.dataDirectory, 'managed_fs', 'folder-1.0-py3.egg');
    await mkdir(join(folder, 'EGG-INFO'), { recursive: true });
    await writeFile(join(folder, 'EGG-INFO', 'PKG-INFO'), 'Name: folder\nVersion: 1.0\n');
    await writeFile(join(folder, 'folder.py'), 'kind = "folder"\n');
    const libraries = [
      { whl: 'managed_fs:/all.wheelhouse.zip' },
      { egg: 'managed_fs:/nest-1.0-py3.egg' },
      { egg: 'managed_fs:/folder-1.0-py3.egg' },
    ];
    const run = await submit([
      imports('a', libraries, ['upper.word', 'lower.word', 'nest.eggs', 'folder.kind']),
    ]);
    expect(await logsOf(run, 'a')).toBe('BOTH\nboth\n3\nfolder\n');
  });

  test('spec 2.7, 2.8: programs and libraries come from an S3-compatible server when one is configured', async () => {
    objects.objects.set(
      '/code/jobs/main.py',
      'import nest, sys\nprint(nest.eggs, sys.argv[0].split("/")[-1])\n',
    );
    objects.objects.set('/code/nest-1.0-py3.egg', await readFile(join(made, 'nest-1.0-py3.egg')));
    const task = {
      task_key: 'a',
      new_cluster: newCluster,
      libraries: [{ egg: 's3://code/nest-1.0-py3.egg' }],
      spark_python_task: { python_file: 'objstore://code/jobs/main.py' },
    };
    expect(await logsOf(await submit([task]), 'a')).toBe('3 main.py\n');
    const gone = await submit([{ ...task, libraries: [{ egg: 'objstore://code/gone.egg' }] }]);
    expect(gone.tasks[0].state.state_message).toContain(
      'egg objstore://code/gone.egg: File objstore://code/gone.egg was not found in the object store.',
    );
  });

  test('spec 2.8: two tasks that need the same library at the same time on one cluster install it once, with its extras, from the index that it names', async () => {
    index.servedFiles.length = 0;
    const gate = Promise.withResolvers<void>();
    index.responseGate = gate.promise;
    const library = { pypi: { package: 'slow[loud]==1.0', repo: index.url } };
    const { job_id } = await runyard.callOk('POST', '2.1/jobs/create', {
      name: 'twice',
      tasks: ['a', 'b'].map((key) =>
        imports(key, [library], ['slow.speed', 'volume.level'], { existing_cluster_id: 'both' }),
      ),
    });
    const { run_id } = await runyard.callOk('POST', '2.1/jobs/run-now', { job_id });
    const waiting = await runyard.waitForRun(
      run_id,
      (run) =>
        run.tasks.some(
          (task: ResponseBody) => task.state.state_message === 'Installing libraries on cluster both',
        ) && index.servedFiles.length > 0,
    );
    expect(waiting.tasks.map((task: ResponseBody) => task.state.life_cycle_state)).toEqual([
      'PENDING',
      'PENDING',
    ]);
    expect(await statusesOf('both')).toMatchObject([{ library, status: 'INSTALLING' }]);
    gate.resolve();
    index.responseGate = undefined;
    const run = await runyard.waitForRunEnd(run_id);
    expect([await logsOf(run, 'a'), await logsOf(run, 'b')]).toEqual(['slow\n11\n', 'slow\n11\n']);
    expect(index.servedFiles.toSorted()).toEqual([
      'slow-1.0-py3-none-any.whl',
      'volume-1.0-py3-none-any.whl',
    ]);
  });

  test('a cancel while libraries are installed ends the installer', async () => {
    index.servedFiles.length = 0;
    index.responseGate = new Promise(() => undefined);
    const { run_id } = await runyard.callOk('POST', '2.1/jobs/runs/submit', {
      run_name: 'held',
      tasks: [imports('a', [{ pypi: { package: 'strict==1.0' } }], [])],
    });
    await runyard.waitForRun(run_id, () => index.servedFiles.length > 0);
    const {
      tasks: [task],
    } = await runyard.callOk('GET', '2.1/jobs/runs/get', { run_id });
    const mark = `RUNYARD_ATTEMPT_DIR=${join(runyard.dataDirectory, 'runs', String(task.run_id))}`;
    const marked = async (): Promise<number> => {
      const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
      const texts = await Promise.all(
        all.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')),
      );
      return texts.filter((text) => text.split('\0').includes(mark)).length;
    };
    expect(await marked()).toBeGreaterThan(0);
    await runyard.callOk('POST', '2.1/jobs/runs/cancel', { run_id });
    const run = await runyard.waitForRunEnd(run_id);
    index.responseGate = undefined;
    expect(run.state).toMatchObject({ life_cycle_state: 'TERMINATED', result_state: 'CANCELED' });
    expect(await marked()).toBe(0);
    expect(
      (await submit([imports('a', [{ pypi: { package: 'strict==1.0' } }], ['tone.mark'])])).state
        .result_state,
    ).toBe('SUCCESS');
  });

  test('a package that an index does not have fails its task, which says so; a task without it runs', async () => {
    const run = await submit([
      imports('bad', [{ pypi: { package: 'nosuch==9' } }, { pypi: { package: 'volume==1.0' } }], []),
      imports('good', [], []),
    ]);
    const [bad, good] = run.tasks;
    expect(bad.state).toMatchObject({ life_cycle_state: 'TERMINATED', result_state: 'FAILED' });
    expect(bad.state.state_message).toMatch(
      /^Library installation failed for library due to user error\. Error messages: pypi nosuch==9: ERROR: .*No matching distribution found for nosuch==9/,
    );
    expect((await outputOf(run, 'bad')).error).toBe(bad.state.state_message);
    expect(bad.status.termination_details.code).toBe('LIBRARY_INSTALLATION_ERROR');
    expect(good.state.result_state).toBe('SUCCESS');
    expect(await statusesOf(bad.cluster_instance.cluster_id)).toMatchObject([
      {
        status: 'FAILED',
        messages: [expect.stringContaining('No matching distribution found for nosuch==9')],
      },
      { status: 'SKIPPED', messages: ['Not installed, because another library failed.'] },
    ]);
  });

  test.each<[string, readonly object[], string | RegExp]>([
    [
      'two versions of one package',
      [{ pypi: { package: 'tone==1.0' } }, { whl: 'managed_fs:/tone-2.0-py3-none-any.whl' }],
      'pypi tone==1.0, whl managed_fs:/tone-2.0-py3-none-any.whl: pypi tone==1.0 and whl managed_fs:/tone-2.0-py3-none-any.whl are two versions of one package; a cluster can have one of them.',
    ],
    [
      'packages that need different ones',
      [{ pypi: { package: 'strict==1.0' } }, { pypi: { package: 'tone==2.0' } }],
      /pypi strict==1\.0, pypi tone==2\.0: does not fit the other libraries: ERROR: .*conflict/,
    ],
    [
      'a file that is no wheel',
      [{ whl: 'managed_fs:/text-1.0-py3-none-any.whl' }],
      'whl managed_fs:/text-1.0-py3-none-any.whl: the file is no wheel: it does not begin as a zip archive does.',
    ],
    [
      'a wheel that is broken inside',
      [{ whl: 'managed_fs:/broken-1.0-py3-none-any.whl' }],
      /whl managed_fs:\/broken-1\.0-py3-none-any\.whl: ERROR: .*broken/,
    ],
    [
      'a file that is not there',
      [{ egg: 'managed_fs:/gone.egg' }],
      'egg managed_fs:/gone.egg: File managed_fs:/gone.egg was not found. Put it there with POST /api/2.0/managed_fs/put and start the run again.',
    ],
    [
      'a file outside of what may be read',
      [{ egg: '/etc/passwd' }],
      /egg \/etc\/passwd: File \/etc\/passwd was not found in the workspace/,
    ],
    [
      'a zip that is no egg',
      [{ egg: 'managed_fs:/tone-2.0-py3-none-any.whl' }],
      'it is no egg: it holds no EGG-INFO.',
    ],
    [
      'a wheelhouse without wheels',
      [{ whl: 'managed_fs:/none.wheelhouse.zip' }],
      'the archive holds no wheel.',
    ],
    [
      'an option in the place of a package',
      [{ pypi: { package: '--index-url=http://evil' } }],
      /pypi\.package is "--index-url=http:\/\/evil"; it must be a package name/,
    ],
    [
      'an address in the place of a package',
      [{ pypi: { package: 'x @ file:///etc' } }],
      /it must be a package name/,
    ],
  ])('%s: the task fails and says so', async (_fact, libraries, message) => {
    await runyard.putFile('/text-1.0-py3-none-any.whl', 'hello');
    await put('/tone-2.0-py3-none-any.whl', join(made, 'tone-2.0-py3-none-any.whl'));
    for (const name of ['broken-1.0-py3-none-any.whl', 'none.wheelhouse.zip'])
      await put(`/${name}`, join(made, 'nest-1.0-py3.egg'));
    const run = await submit([imports('a', libraries, [])]);
    for (const { state } of [run, run.tasks[0]])
      expect(state).toMatchObject({ life_cycle_state: 'TERMINATED', result_state: 'FAILED' });
    expect(run.tasks[0].state.state_message).toMatch(
      /^Library installation failed for library due to user error\. Error messages: /,
    );
    expect(run.tasks[0].state.state_message).toEqual(
      typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
    );
  });

  test('what a cluster has keeps its versions when another task adds libraries', async () => {
    const on = { existing_cluster_id: 'growing' };
    const first = await submit([imports('a', [{ pypi: { package: 'tone<2' } }], ['tone.mark'], on)]);
    const second = await submit([
      imports('a', [{ pypi: { package: 'greeting==1.0' } }], ['greeting.say'], on),
    ]);
    expect([await logsOf(first, 'a'), await logsOf(second, 'a')]).toEqual(['.\n', 'hello.\n']);
  });

  test('libraries are given to an all-purpose cluster and taken from it', async () => {
    const cluster_id = 'purpose';
    await submit([imports('a', [], [], { existing_cluster_id: cluster_id })]);
    await runyard.putFile('/text-1.0-py3-none-any.whl', 'hello');
    const libraries = [
      { pypi: { package: 'volume==1.0' } },
      { whl: 'managed_fs:/text-1.0-py3-none-any.whl' },
    ];
    await runyard.callOk('POST', '2.0/libraries/install', { cluster_id, libraries });
    const settled = async (): Promise<ResponseBody[]> => {
      const statuses = await statusesOf(cluster_id);
      if (statuses.some(({ status }) => ['PENDING', 'RESOLVING', 'INSTALLING', 'SKIPPED'].includes(status)))
        throw new Error('Not yet.');
      return statuses;
    };
    await expect
      .poll(settled, { timeout: 20_000 })
      .toMatchObject([{ status: 'INSTALLED' }, { status: 'FAILED' }]);
    const run = await submit([imports('a', [], ['volume.level'], { existing_cluster_id: cluster_id })]);
    expect(await logsOf(run, 'a')).toBe('11\n');
    await runyard.callOk('POST', '2.0/libraries/uninstall', { cluster_id, libraries });
    expect(await statusesOf(cluster_id)).toMatchObject([
      { library: libraries[0], status: 'UNINSTALL_ON_RESTART' },
    ]);
    expect((await runyard.callOk('GET', '2.0/libraries/all-cluster-statuses')).statuses).toContainEqual({
      cluster_id,
      library_statuses: await statusesOf(cluster_id),
    });
    await runyard.database.db
      .updateTable('clusters')
      .set({ spark_context_id: 'another' })
      .where('cluster_id', '=', cluster_id)
      .execute();
    const after = await submit([imports('a', [], ['volume.level'], { existing_cluster_id: cluster_id })]);
    expect(after.state.result_state).toBe('FAILED');
    expect(await statusesOf(cluster_id)).toEqual([]);
  });

  test('installers see the PIP_ variables of a cluster, also where no task comes', async () => {
    const { cluster_id } = await runyard.callOk('POST', '2.0/clusters/create', {
      spark_version: '16.4.x',
      node_type_id: 'n',
      num_workers: 0,
      spark_env_vars: { PIP_INDEX_URL: 'http://127.0.0.1:9/none', PIP_RETRIES: '1' },
    });
    await runyard.callOk('POST', '2.0/libraries/install', {
      cluster_id,
      libraries: [{ pypi: { package: 'volume==1.0' } }],
    });
    await expect
      .poll(() => statusesOf(cluster_id), { timeout: 20_000 })
      .toMatchObject([
        {
          status: 'FAILED',
          messages: [expect.stringContaining('The package index could not be reached (/none/volume/)')],
        },
      ]);
  });

  test('a cluster that starts, or starts again, gets its libraries without waiting for a task', async () => {
    const { cluster_id } = await runyard.callOk('POST', '2.0/clusters/create', {
      spark_version: '16.4.x',
      node_type_id: 'n',
      num_workers: 0,
    });
    await runyard.callOk('POST', '2.0/libraries/install', {
      cluster_id,
      libraries: [{ pypi: { package: 'volume==1.0' } }],
    });
    const installed = (): Promise<void> =>
      expect.poll(() => statusesOf(cluster_id), { timeout: 20_000 }).toMatchObject([{ status: 'INSTALLED' }]);
    await installed();
    await runyard.callOk('POST', '2.0/clusters/delete', { cluster_id });
    await runyard.database.db
      .updateTable('cluster_libraries')
      .set({ status: 'PENDING' })
      .where('cluster_id', '=', cluster_id)
      .execute();
    await runyard.callOk('POST', '2.0/clusters/start', { cluster_id });
    await installed();
  });
});

test('libraries of a cluster that is not there, or was made for a run, are refused', async () => {
  const run = await submit([imports('a', [], [])]);
  const libraries = [{ pypi: { package: 'x' } }];
  const own = run.tasks[0].cluster_instance.cluster_id;
  for (const [body, message] of [
    [{ cluster_id: 'gone', libraries }, 'Cluster gone does not exist.'],
    [
      { cluster_id: own, libraries },
      `Cluster ${own} belongs to a run; set the libraries in the settings of its task.`,
    ],
    [
      { cluster_id: own, libraries: [{ pypi: { package: '-r x' } }] },
      'pypi.package is "-r x"; it must be a package name, optionally with extras and versions, such as name[extra]==1.2.',
    ],
    [
      { cluster_id: own, libraries: [{ jar: 'a', egg: 'b' }] },
      'libraries[0] has jar and egg; exactly one of jar, egg, whl, pypi, maven, cran is allowed.',
    ],
  ] as const) {
    expect(await runyard.call('POST', '2.0/libraries/install', body)).toEqual({
      status: 400,
      body: { error_code: 'INVALID_PARAMETER_VALUE', message },
    });
  }
  expect(
    (await runyard.call('GET', '2.0/libraries/cluster-status', { cluster_id: 'gone' })).body.message,
  ).toBe('Cluster gone does not exist.');
});

describe.skipIf(javac === undefined || jar === undefined || java === undefined)('JARs', () => {
  beforeAll(async () => {
    await writeFile(
      join(made, 'Part.java'),
      'public class Part { public static String word() { return "part"; } }',
    );
    await writeFile(
      join(made, 'Main.java'),
      'public class Main { public static void main(String[] a) { System.out.println(Part.word() + a.length); if (a.length > 1) System.exit(Integer.parseInt(a[1])); } }',
    );
    execFileSync(javac ?? '', ['Part.java', 'Main.java'], { cwd: made });
    execFileSync(jar ?? '', ['cf', 'main.jar', 'Main.class'], { cwd: made });
    execFileSync(jar ?? '', ['cf', 'part.jar', 'Part.class'], { cwd: made });
    for (const file of ['main.jar', 'part.jar']) await put(`/${file}`, join(made, file));
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
      'Library installation failed for library due to user error. Error messages: jar managed_fs:/imports.py: the file is no JAR: it does not begin as a zip archive does.',
    ],
  ])('spec 2.7, 2.8: %s', async (_fact, task, result, said) => {
    const run = await submit([task]);
    expect([run.tasks[0].state.result_state, await logsOf(run, 'a')]).toEqual([result, said]);
  });

  test('a JAR that is replaced later stays what it was on a cluster that has it, and in the cache of another', async () => {
    const kept = await entries('files');
    const on = { libraries, existing_cluster_id: 'jars', new_cluster: undefined };
    await submit([main([], on)]);
    expect(await entries('files')).toEqual(kept);
    await put('/part.jar', join(made, 'main.jar'));
    expect(await logsOf(await submit([main([], on)]), 'a')).toBe('part0\n');
    expect((await submit([main([])])).state.result_state).toBe('FAILED');
  });
});
