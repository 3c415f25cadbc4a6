/** Python libraries through HTTP (spec 2.8): installation of every kind. The tests need no network. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { buildWheelhouse } from '../harness/python-packages.ts';
import {
  registerService,
  python,
  newCluster,
  runyard,
  index,
  objects,
  packageDirectory,
  put,
  imports,
  submit,
  outputOf,
  logsOf,
  statusesOf,
  entries,
} from './libraries-harness.ts';

registerService();

describe.skipIf(python === undefined)('Python libraries', () => {
  test('spec 2.8: a wheel is installed with its requirements and console scripts, and reused by another cluster', async () => {
    await put('/greeting-1.0-py3-none-any.whl', join(packageDirectory, 'greeting-1.0-py3-none-any.whl'));
    await runyard.putFile(
      '/script.py',
      'import subprocess\nprint(subprocess.run(["greet"], capture_output=True, text=True).stdout.strip())\n',
    );
    await runyard.putNotebook('/greet', ['import greeting', 'dbutils.notebook.exit(greeting.say())']);
    const libraries = [{ whl: 'dbfs:/greeting-1.0-py3-none-any.whl' }, { pypi: { package: 'tone==2.0' } }];
    const run = await submit(
      [
        imports('imports', libraries, ['greeting.say'], { job_cluster_key: 'shared' }),
        // The task names no libraries; they belong to the cluster.
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

  test('spec 2.8: all wheels of a wheelhouse are installed; an egg is importable as a file and as a directory', async () => {
    await buildWheelhouse(python ?? '', join(packageDirectory, 'all.wheelhouse.zip'), [
      {
        name: 'upper',
        version: '1.0',
        module: 'import lower\nword = lower.word.upper()\n',
        requires: ['lower>=1'],
      },
      { name: 'lower', version: '1.0', module: 'word = "both"\n' },
    ]);
    for (const file of ['all.wheelhouse.zip', 'nest-1.0-py3.egg'])
      await put(`/${file}`, join(packageDirectory, file));
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

  test('spec 2.7, 2.8: programs and libraries are read from a configured S3-compatible server', async () => {
    objects.objects.set(
      '/code/jobs/main.py',
      'import nest, sys\nprint(nest.eggs, sys.argv[0].split("/")[-1])\n',
    );
    objects.objects.set('/code/nest-1.0-py3.egg', await readFile(join(packageDirectory, 'nest-1.0-py3.egg')));
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

  test('spec 2.8: two tasks that need one library at the same time install it once, with its extras, from its index', async () => {
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

  test('a cancel during the installation ends the installer', async () => {
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
});
