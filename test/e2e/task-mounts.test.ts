/**
 * managed_fs at /dbfs and /Volumes: mounted in a sandbox; without one, paths of tasks and arguments are
 * translated. Through HTTP with real processes.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findSandbox } from '../../cli/wiring/isolation.ts';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

const isRoot = process.getuid?.() === 0;
const hasSandbox = await findSandbox(undefined).then(
  () => true,
  () => false,
);
const isMountFree = !existsSync('/dbfs') && !existsSync('/Volumes');

/** Reads and writes managed_fs as Dagster Pipes does: plain files below the mount points. */
const mountedFiles = `import json, os, pathlib, sys
path = json.load(open("/dbfs/pipes/context.json"))["path"]
os.makedirs("/dbfs" + path, exist_ok=True)
open("/dbfs" + path + "/0.json", "w").write("message")
pathlib.Path("/Volumes/main/v").mkdir(parents=True)
pathlib.Path("/Volumes/main/v/out.txt").write_text(" ".join(sys.argv[1:]))
print(sorted(os.listdir("/dbfs/pipes")), os.path.realpath("/dbfs/pipes"))`;

/** Copies the file of the first argument to that of the second. */
const copyFile = `import os, sys
source, (_, target) = sys.argv[1], sys.argv[2].split("=")
os.makedirs(os.path.dirname(target), exist_ok=True)
open(target, "w").write(open(source).read())
print(sys.argv[3], os.path.exists("/dbfs"))`;

let runyard: TestService;

async function runProgram(task: object, changes: object = {}): Promise<ResponseBody> {
  const { run_id } = await runyard.callOk('POST', '2.0/jobs/runs/submit', {
    run_name: 'mounts',
    new_cluster: { num_workers: 0, spark_version: 'v', node_type_id: 'compute-4', ...changes },
    spark_python_task: task,
  });
  const run = await runyard.waitForRunEnd(run_id);
  return { run, output: await runyard.callOk('GET', '2.0/jobs/runs/get-output', { run_id }) };
}

const readManaged = (path: string): Promise<string> =>
  readFile(join(runyard.dataDirectory, 'managed_fs', path), 'utf8');

describe.skipIf(!hasSandbox).each([
  ['that only mounts', { taskSandbox: 'mounts' }, true],
  ['that isolates', { taskSandbox: 'bubblewrap' }, true],
  ['of another user (needs root)', { taskSandbox: 'bubblewrap', taskUser: 'nobody' }, isRoot],
] as const)('a sandbox %s (needs bubblewrap)', (_name, settings, isPossible) => {
  beforeAll(async () => {
    if (isPossible) runyard = await startTestService(settings);
  });
  afterAll(async () => {
    if (isPossible) await runyard.stop();
  });

  test.skipIf(!isPossible)('a program and an init script find managed_fs at /dbfs and /Volumes', async () => {
    await runyard.putFile('/programs/mounted.py', mountedFiles);
    await runyard.putFile('/pipes/context.json', '{"path": "/pipes/messages"}');
    await runyard.putFile('/init.sh', 'cp /dbfs/pipes/context.json /dbfs/pipes/copied-by-init-script.json\n');
    const { run, output } = await runProgram(
      { python_file: '/dbfs/programs/mounted.py', parameters: ['/dbfs/a', '--b=/Volumes'] },
      { init_scripts: [{ dbfs: { destination: '/dbfs/init.sh' } }] },
    );
    expect([run.state.state_message, output.error, output.logs]).toEqual([
      '',
      undefined,
      "['context.json', 'copied-by-init-script.json', 'messages'] /dbfs/pipes\n",
    ]);
    expect(await readManaged('pipes/messages/0.json')).toBe('message');
    expect(await readManaged('Volumes/main/v/out.txt')).toBe('/dbfs/a --b=/Volumes');
  });
});

describe('without a sandbox', () => {
  beforeAll(async () => {
    runyard = await startTestService();
    await runyard.putFile('/programs/copy.py', copyFile);
    await runyard.putFile('/in/a.txt', 'copied');
  });
  afterAll(() => runyard.stop());

  test.skipIf(!isMountFree)('arguments below the mount points name files of managed_fs', async () => {
    const { run, output } = await runProgram({
      python_file: '/dbfs/programs/copy.py',
      parameters: ['/dbfs/in/a.txt', '--to=/Volumes/main/v/b.txt', 'see /dbfs/in'],
    });
    expect([run.state.state_message, output.error, output.logs]).toEqual([
      '',
      undefined,
      'see /dbfs/in False\n',
    ]);
    expect(await readManaged('Volumes/main/v/b.txt')).toBe('copied');
  });

  test('dbutils.fs and SQL read files below the mount points', async () => {
    await runyard.putFile('/in/rain.csv', 'city,mm\nBern,3\n');
    await runyard.putNotebook('/Users/a/mounts', [
      "%sql SELECT * FROM read_csv('/dbfs/in/rain.csv')",
      'dbutils.fs.put("/Volumes/main/v/c.txt", "hello", True)',
      'dbutils.notebook.exit(dbutils.fs.head("file:/dbfs/Volumes/main/v/c.txt") + " " + dbutils.fs.ls("/dbfs/in")[0].path)',
    ]);
    const { run_id } = await runyard.callOk('POST', '2.0/jobs/runs/submit', {
      run_name: 'mounts',
      new_cluster: { num_workers: 0, spark_version: 'v', node_type_id: 'compute-4' },
      notebook_task: { notebook_path: '/Users/a/mounts' },
    });
    await runyard.waitForRunEnd(run_id);
    const { error, notebook_output: output } = await runyard.callOk('GET', '2.0/jobs/runs/get-output', {
      run_id,
    });
    expect([error, output?.result]).toEqual([undefined, 'hello managed_fs:/in/a.txt']);
    expect(await readManaged('Volumes/main/v/c.txt')).toBe('hello');
  });
});
