/**
 * Isolation of tasks from the service: resource limits, another user, and a sandbox, through HTTP with real
 * processes.
 */
import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findSandbox } from '../../cli/wiring/isolation.ts';
import { createProcessTable } from '../../runners/process/process-table.ts';
import type { ResponseBody } from '../harness/api-client.ts';
import { buildWheels } from '../harness/python-packages.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

const isRoot = process.getuid?.() === 0;
const systemPython = '/usr/bin/python3';
const hasSystemPip = await promisify(execFile)(systemPython, ['-m', 'pip', '--version']).then(
  () => true,
  () => false,
);
const hasSandbox = await findSandbox(undefined).then(
  () => true,
  () => false,
);

/** Program that prints what it can see and write as one JSON line. */
const inspection = `import json, os, resource, subprocess, sys, tempfile
def tried(work):
    try: return work()
    except Exception as error: return type(error).__name__
data = os.path.dirname(os.environ["RUNYARD_MANAGED_FS"])
open(os.environ["RUNYARD_MANAGED_FS"] + "/from-task.txt", "w").write("written by the task")
open("own.txt", "w").write("x")
open("/dev/stderr", "a").close()
open(os.environ["TMPDIR"] + "/own.txt", "w").write("x")
print(json.dumps({
  "uid": os.getuid(), "data": sorted(tried(lambda: os.listdir(data)) or []), "runs": tried(lambda: os.listdir(data + "/runs")),
  "token": tried(lambda: open(data + "/bootstrap-token").read()), "etc": os.access("/etc", os.W_OK),
  "memory": resource.getrlimit(resource.RLIMIT_DATA)[1], "files": resource.getrlimit(resource.RLIMIT_NOFILE)[1], "cpu": resource.getrlimit(resource.RLIMIT_CPU)[1],
  "processes": resource.getrlimit(resource.RLIMIT_NPROC)[1], "others": sum(name.isdigit() for name in os.listdir("/proc")),
}))`;
const ignoresTerm = `import os, signal, subprocess, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen(["setsid", "sleep", "600"])
print("up", flush=True)
time.sleep(600)`;

const handlesTerm = `import os, signal, sys, time
def leave(*_):
    time.sleep(0.1)
    open(os.environ["RUNYARD_MANAGED_FS"] + "/polite.txt", "w").write("tidied up")
    sys.exit(0)
signal.signal(signal.SIGTERM, leave)
print("up", flush=True)
time.sleep(600)`;

/**
 * Script that prints its user, whether it can read the bootstrap token, and which code-loading variables
 * reached the programs that enter the isolation.
 */
const preparationScript = (data: string, into: string): string =>
  `(id -u; cat ${data}/bootstrap-token 2>/dev/null || echo out of reach; tr '\\0' '\\n' < /proc/$PPID/environ | grep -c ^LD_BIND_NOW; echo "$LD_BIND_NOW") > "${into}"`;

/** Python wrapper that writes its user into the directory that pip fills. */
const python = `#!/bin/sh
case "$2" in *'print(sys.executable)') echo "$0"; exit;; esac
[ "$2" = pip ] && echo "uid = $(id -u)" > "$5/installer.py"
exec ${systemPython} "$@"
`;

const cached = `import errno, os, sys, installer, volume
found = []
for path in [volume.__file__, os.path.dirname(volume.__file__) + "/more.py", os.environ["R_LIBS"] + "/asked"]:
    try: open(path, "w")
    except OSError as error: found.append(error.errno in (errno.EACCES, errno.EROFS))
print(volume.level, installer.uid, found, open(os.environ["R_LIBS"] + "/asked").read().split("\\n"))`;

let runyard: TestService;

async function startService(changes: Parameters<typeof startTestService>[0]): Promise<void> {
  runyard = await startTestService({ stopGraceMs: 1_500, ...changes });
  await writeFile(join(runyard.dataDirectory, 'bootstrap-token'), 'secret', { mode: 0o600 });
  await runyard.putFile('/programs/look.py', inspection);
  await runyard.putFile('/programs/stubborn.py', ignoresTerm);
  await runyard.putFile('/programs/polite.py', handlesTerm);
  await runyard.putNotebook('/Users/a/who', ['import os\ndbutils.notebook.exit(str(os.getuid()))']);
  await runyard.putNotebook('/Users/a/nb', ['dbutils.notebook.exit(dbutils.notebook.run("./who", 60))']);
}

const cluster = { new_cluster: { num_workers: 0, spark_version: 'v', node_type_id: 'compute-4' } };
const program = (name: string): object => ({
  ...cluster,
  spark_python_task: { python_file: `managed_fs:/programs/${name}.py` },
});

async function submit(task: object): Promise<ResponseBody> {
  const { run_id } = await runyard.callOk('POST', '2.0/jobs/runs/submit', { run_name: 'isolated', ...task });
  const run = await runyard.waitForRunEnd(run_id);
  return {
    run,
    output: await runyard.callOk('GET', '2.0/jobs/runs/get-output', {
      run_id: run.tasks?.[0]?.run_id ?? run_id,
    }),
  };
}

async function runInspection(): Promise<ResponseBody> {
  const { run, output } = await submit(program('look'));
  expect([run.state.result_state, output.error]).toEqual(['SUCCESS', undefined]);
  expect(await readFile(join(runyard.dataDirectory, 'managed_fs', 'from-task.txt'), 'utf8')).toBe(
    'written by the task',
  );
  return JSON.parse(output.logs);
}

async function notebookUser(): Promise<unknown> {
  const { output } = await submit({ ...cluster, notebook_task: { notebook_path: '/Users/a/nb' } });
  return output.notebook_output?.result ?? output;
}

async function cancelProgram(name: string): Promise<void> {
  const { run_id } = await runyard.callOk('POST', '2.0/jobs/runs/submit', program(name));
  const log = join(runyard.dataDirectory, 'runs', String(run_id), 'stdout');
  await runyard.waitForRun(run_id, () => existsSync(log) && statSync(log).size > 0);
  await runyard.callOk('POST', '2.0/jobs/runs/cancel', { run_id });
  expect((await runyard.waitForRunEnd(run_id)).state.result_state).toBe('CANCELED');
  const left = await createProcessTable(join(runyard.dataDirectory, 'runs')).listAttempts();
  expect(left).not.toContain(run_id);
}

/** Runs a task on a cluster that is prepared by an init script, pip and R. */
async function expectPreparedCluster(uid: number): Promise<void> {
  const data = runyard.dataDirectory;
  const bin = join(data, 'managed_fs', 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'Rscript'), `#!/bin/sh\n${preparationScript(data, '$4/asked')}\n`, {
    mode: 0o755,
  });
  await writeFile(join(bin, 'python3'), python, { mode: 0o755 });
  const wheels = await mkdtemp(join(tmpdir(), 'runyard-isolation-'));
  onTestFinished(() => rm(wheels, { recursive: true, force: true }));
  const [wheel = ''] = await buildWheels(systemPython, wheels, [
    { name: 'volume', version: '1.0', module: 'level = 11\n' },
  ]);
  await writeFile(join(data, 'managed_fs', 'volume-1.0-py3-none-any.whl'), await readFile(wheel));
  await runyard.putFile(
    '/prepare.sh',
    `echo "$USER" > "$TMPDIR/own.txt"\n${preparationScript(data, '$RUNYARD_MANAGED_FS/prepared.txt')}\n`,
  );
  await runyard.putFile('/programs/cached.py', cached);
  const { run, output } = await submit({
    new_cluster: {
      ...cluster.new_cluster,
      init_scripts: [{ managed_fs: { destination: 'managed_fs:/prepare.sh' } }],
      spark_env_vars: { PATH: `${bin}:/usr/bin:/bin`, LD_BIND_NOW: '1' },
    },
    libraries: [{ whl: 'managed_fs:/volume-1.0-py3-none-any.whl' }, { cran: { package: 'ada' } }],
    spark_python_task: { python_file: 'managed_fs:/programs/cached.py' },
  });
  expect([run.state.state_message, run.state.result_state]).toEqual(['', 'SUCCESS']);
  // Of the cluster's variables, installers get PATH only.
  expect(output.logs).toBe(`11 ${uid} [True, True, True] ['${uid}', 'out of reach', '0', '', '']\n`);
  expect(await readFile(join(data, 'managed_fs', 'prepared.txt'), 'utf8')).toBe(
    `${uid}\nout of reach\n0\n1\n`,
  );
}

/** Cancels a task that ignores SIGTERM in a session of its own, and one that handles SIGTERM. */
async function expectCancelledTasksEnd(): Promise<void> {
  await Promise.all([cancelProgram('stubborn'), cancelProgram('polite')]);
  expect(await readFile(join(runyard.dataDirectory, 'managed_fs', 'polite.txt'), 'utf8')).toBe('tidied up');
}

describe('resource limits', () => {
  beforeAll(() => startService({ taskLimits: { openFiles: 222, cpuSeconds: 3_333, memoryMb: 10_000 } }));
  afterAll(() => runyard.stop());

  test('each process has the configured limits and the memory of its node type', async () => {
    expect(await runInspection()).toMatchObject({ files: 222, cpu: 3_333, memory: 8_192 * 2 ** 20 });
  });

  test('a program over the memory of its node type fails with its own error', async () => {
    await runyard.putFile('/programs/greedy.py', 'x = bytearray(9 * 2**30)');
    expect((await submit(program('greedy'))).output.error).toMatch(/^MemoryError/);
  });
});

describe.skipIf(!isRoot)('another user (needs root)', () => {
  beforeAll(() => startService({ taskUser: 'nobody', taskLimits: { processes: 5_000 } }));
  afterAll(() => runyard.stop());

  test('a program runs as that user, writes to its own directories, and cannot read files of the service', async () => {
    const { files, processes, ...found } = await runInspection();
    expect(found).toMatchObject({
      uid: 65_534,
      token: 'PermissionError',
      runs: 'PermissionError',
      etc: false,
    });
    // compute-4 has four cores; a machine may allow fewer.
    expect(files).toBeLessThanOrEqual(4 * 4_096);
    expect(processes).toBeLessThanOrEqual(5_000);
  });

  test.skipIf(!hasSystemPip)(
    'init scripts and installers run as that user, and tasks can read but not change their files (needs pip)',
    () => expectPreparedCluster(65_534),
  );

  test('a notebook runs as that user and gets the result of a notebook that it runs', async () => {
    expect(await notebookUser()).toBe('65534');
  });

  test(
    'a cancel kills a task that ignores SIGTERM in its own session and lets another one end by itself',
    expectCancelledTasksEnd,
  );
});

describe.skipIf(!hasSandbox)('a sandbox (needs bubblewrap)', () => {
  beforeAll(() => startService({ taskSandbox: 'bubblewrap' }));
  afterAll(() => runyard.stop());

  test('a program sees the system read-only and only its own directories of the service', async () => {
    const found = await runInspection();
    expect(found).toMatchObject({ uid: process.getuid?.(), token: 'FileNotFoundError', etc: false });
    expect(
      found.data.filter(
        (name: string) =>
          !['clusters', 'libraries', 'managed_fs', 'objstore', 'runs', 'workspace'].includes(name),
      ),
    ).toEqual([]);
    expect(found.runs).toHaveLength(1);
    // It sees its own processes and the supervisor.
    expect(found.others).toBeLessThan(6);
  });

  test.skipIf(!hasSystemPip)(
    'init scripts and installers run in the sandbox, and tasks can read but not change their files (needs pip)',
    () => expectPreparedCluster(process.getuid?.() ?? -1),
  );

  test('a notebook runs in the sandbox', async () => {
    expect(await notebookUser()).toBe(String(process.getuid?.()));
  });

  test(
    'a cancel kills a task that ignores SIGTERM in its own session and lets another one end by itself',
    expectCancelledTasksEnd,
  );
});

describe.skipIf(!hasSandbox)('a sandbox that only mounts (needs bubblewrap)', () => {
  beforeAll(() => startService({ taskSandbox: 'mounts' }));
  afterAll(() => runyard.stop());

  test('a program sees everything else as without a sandbox', async () => {
    expect(await runInspection()).toMatchObject({
      uid: process.getuid?.(),
      token: 'secret',
      etc: isRoot,
      runs: expect.arrayContaining([expect.any(String)]),
    });
  });

  test(
    'a cancel kills a task that ignores SIGTERM in its own session and lets another one end by itself',
    expectCancelledTasksEnd,
  );
});

describe.skipIf(!hasSandbox || !isRoot)('another user in a sandbox (needs root and bubblewrap)', () => {
  beforeAll(() => startService({ taskUser: 'nobody', taskSandbox: 'bubblewrap' }));
  afterAll(() => runyard.stop());

  test('a program runs as the user inside the sandbox', async () => {
    expect(await runInspection()).toMatchObject({ uid: 65_534, token: 'FileNotFoundError' });
  });

  test.skipIf(!hasSystemPip)('installers run as the user inside the sandbox (needs pip)', () =>
    expectPreparedCluster(65_534),
  );
});
