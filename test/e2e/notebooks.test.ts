/**
 * Notebooks through HTTP: magics, utilities, notebooks that run notebooks, revisions, and misbehaving
 * notebooks.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createConfig } from '../../cli/config.ts';
import { defaultLimits } from '../../engine/limits.ts';
import type { CellOutput, NotebookReport } from '../../engine/run/task-output.ts';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { eventually } from '../harness/eventually.ts';

let runyard: TestService;
const depth = 3;
beforeAll(async () => {
  const { taskEnvironment } = createConfig({
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
  });
  // The tests of the driver cover IPython; here its start-up time would only slow the tests.
  runyard = await startTestService({
    limits: { ...defaultLimits, notebookRunDepth: depth },
    taskEnvironment: { ...taskEnvironment, RUNYARD_NOTEBOOK_SHELL: 'plain' },
  });
});
afterAll(() => runyard.stop());

const text = (content: string): string => Buffer.from(content).toString('base64');

async function submit(
  path: string,
  cells: readonly string[],
  more: object = {},
  base_parameters: Record<string, string> = {},
): Promise<number> {
  await runyard.putNotebook(path, cells);
  return (
    await runyard.callOk('POST', '2.0/jobs/runs/submit', {
      existing_cluster_id: 'c',
      notebook_task: { notebook_path: path, base_parameters },
      ...more,
    })
  ).run_id;
}

const outputOf = (run_id: number): Promise<ResponseBody> =>
  runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id });
const attempt = (runId: number, name: string): string =>
  join(runyard.dataDirectory, 'runs', String(runId), name);
const reportOf = (runId: number): NotebookReport =>
  JSON.parse(readFileSync(attempt(runId, 'notebook.json'), 'utf8'));
const logOf = (runId: number): string => readFileSync(attempt(runId, 'stdout'), 'utf8');
const shown = (runId: number, cell: number): readonly CellOutput[] =>
  reportOf(runId).cells[cell - 1]?.outputs ?? [];
const childrenOf = async (path: string): Promise<ResponseBody[]> =>
  (
    (await runyard.callOk('GET', '2.1/jobs/runs/list', { run_type: 'WORKFLOW_RUN', limit: 0 })).runs ?? []
  ).filter((run: ResponseBody) => run.run_name === path);

/** Waits until a child run of the notebook exists that `isReached` accepts, and returns it. */
async function waitForChild(
  path: string,
  isReached: (child: ResponseBody) => boolean,
): Promise<ResponseBody> {
  return eventually(async () => (await childrenOf(path))[0], {
    until: (child) => child !== undefined && isReached(child),
  });
}

const state = async (runId: number): Promise<ResponseBody> => (await runyard.waitForRunEnd(runId)).state;

describe('cells of other languages', () => {
  test('SQL, shell, another notebook and Python share one run', async () => {
    await runyard.putFile('/rain/2024.csv', 'city,mm\nOslo,5\nBergen,9\n');
    await runyard.putNotebook('/team/lib/names', [
      'LIMIT = 6',
      'def loud(word): return word.upper() + dbutils.widgets.get("mark")',
    ]);
    const runId = await submit(
      '/team/all',
      [
        '# MAGIC %run ./lib/names $mark="!"',
        "# MAGIC %sql\n# MAGIC CREATE VIEW rain AS SELECT * FROM 'managed_fs:/rain/*.csv';\n# MAGIC SELECT city, mm FROM rain WHERE mm > CAST(:least AS INT)",
        'rows = _sqldf.to_dict("records") if hasattr(_sqldf, "to_dict") else _sqldf\ndbutils.widgets.text("mark", "?")\nloud(rows[0]["city"])',
        '# MAGIC %sh\n# MAGIC cd $RUNYARD_MANAGED_FS && ls rain | tr a-z A-Z',
        'dbutils.notebook.exit(LIMIT)',
      ],
      {},
      { least: '6' },
    );
    expect(await state(runId)).toMatchObject({ result_state: 'SUCCESS' });
    expect(shown(runId, 2)).toEqual([
      {
        type: 'table',
        columns: [
          { name: 'city', type: 'varchar' },
          { name: 'mm', type: 'bigint' },
        ],
        rows: [['Bergen', 9]],
      },
    ]);
    expect(shown(runId, 3)).toEqual([{ type: 'text', data: "'BERGEN?'" }]);
    expect(shown(runId, 4)).toEqual([{ type: 'stdout', data: '2024.CSV\n' }]);
    expect(reportOf(runId).cells.map(({ language }) => language)).toEqual([
      'run',
      'sql',
      'python',
      'shell',
      'python',
    ]);
    expect((await outputOf(runId)).notebook_output.result).toBe('6');
  });

  test.each<[string, string, string]>([
    [
      'a SQL error',
      '# MAGIC %sql SELECT nothing FROM nowhere',
      'Catalog Error: Table with name nowhere does not exist!',
    ],
    ['SQL that leaves managed_fs', "# MAGIC %sql SELECT * FROM read_text('/etc/passwd')", 'Permission Error'],
    [
      'a shell that fails under -e',
      '# MAGIC %sh -e\n# MAGIC false\n# MAGIC echo never',
      'The %sh cell ended with exit code 1.',
    ],
    [
      'a notebook that is not there',
      '# MAGIC %run ./gone',
      'The notebook /team/gone was not found in the workspace (tried /team/gone, /team/gone.py, /team/gone.ipynb).',
    ],
    [
      'a climb out of the workspace',
      '# MAGIC %run ../../../etc/passwd',
      'The path ../../../etc/passwd leads outside the workspace.',
    ],
  ])('%s fails the notebook and says why', async (_fact, cell, error) => {
    const runId = await submit('/team/fails', [cell, 'print("never")']);
    expect(await state(runId)).toMatchObject({ result_state: 'FAILED' });
    expect((await outputOf(runId)).error).toContain(error);
    expect(reportOf(runId).cells.map((each) => each.status)).toEqual(['failed', 'skipped']);
  });

  test('a Jupyter notebook runs: sources in lists, Markdown, raw cells, cell magics', async () => {
    const document = {
      nbformat: 4,
      metadata: { kernelspec: { language: 'python' } },
      cells: [
        { cell_type: 'markdown', source: ['# Rain\n', 'in Oslo'] },
        { cell_type: 'raw', source: 'left as it is' },
        { cell_type: 'code', source: ['mm = 5\n', 'mm * 2'] },
        { cell_type: 'code', source: '%%bash\necho from bash' },
        { cell_type: 'code', source: '' },
      ],
    };
    await runyard.callOk('POST', '2.0/workspace/import', {
      path: '/team/jupyter',
      format: 'JUPYTER',
      overwrite: true,
      content: text(JSON.stringify(document)),
    });
    const { run_id } = await runyard.callOk('POST', '2.0/jobs/runs/submit', {
      existing_cluster_id: 'c',
      notebook_task: { notebook_path: '/team/jupyter' },
    });
    expect(await state(run_id)).toMatchObject({ result_state: 'SUCCESS' });
    expect(
      reportOf(run_id).cells.map(({ language, source, outputs }) => [language, source, outputs]),
    ).toEqual([
      ['markdown', '# Rain\nin Oslo', []],
      ['markdown', '```\nleft as it is\n```', []],
      ['python', 'mm = 5\nmm * 2', [{ type: 'text', data: '10' }]],
      ['shell', '%%bash\necho from bash', [{ type: 'stdout', data: 'from bash\n' }]],
    ]);
  });
});

describe('a notebook that runs another one', () => {
  test('gets its exit value; the child is a WORKFLOW_RUN on the same cluster', async () => {
    await runyard.putNotebook('/team/child', ['dbutils.notebook.exit("grown " + dbutils.widgets.get("n"))']);
    const runId = await submit('/team/parent', [
      'dbutils.notebook.exit(dbutils.notebook.run("./child", 60, {"n": 3}) + dbutils.notebook.run("/team/child", 0, {"n": "4"}))',
    ]);
    expect(await state(runId)).toMatchObject({ result_state: 'SUCCESS' });
    expect((await outputOf(runId)).notebook_output.result).toBe('grown 3grown 4');
    const children = await childrenOf('/team/child');
    expect(children.map(({ run_type, state: { result_state } }) => [run_type, result_state])).toEqual([
      ['WORKFLOW_RUN', 'SUCCESS'],
      ['WORKFLOW_RUN', 'SUCCESS'],
    ]);
    const child = await runyard.callOk('GET', '2.0/jobs/runs/get', { run_id: children[0].run_id });
    expect(child.cluster_instance.cluster_id).toBe('c');
  });

  test('runs the child on the new cluster of the parent, with its variables', async () => {
    await runyard.putNotebook('/team/there', [
      'import os\ndbutils.notebook.exit(os.environ["CITY"] + os.environ["RUNYARD_CLUSTER_ID"])',
    ]);
    const new_cluster = {
      spark_version: '16.4.x-scala2.12',
      node_type_id: 'small',
      num_workers: 1,
      spark_env_vars: { CITY: 'Oslo' },
    };
    const runId = await submit(
      '/team/made',
      [
        'import os\ndbutils.notebook.exit(str(dbutils.notebook.run("./there") == "Oslo" + os.environ["RUNYARD_CLUSTER_ID"]))',
      ],
      { existing_cluster_id: undefined, new_cluster },
    );
    expect(await state(runId)).toMatchObject({ result_state: 'SUCCESS' });
    expect((await outputOf(runId)).notebook_output.result).toBe('True');
  });

  test.each<[string, readonly string[], string, RegExp]>([
    [
      'fails, with its message',
      ['raise ValueError("no rain")'],
      '0',
      /^WorkflowError: Run \d+ of notebook \/team\/bad ended as FAILED: ValueError: no rain$/,
    ],
    [
      'takes longer than its timeout',
      ['import time\ntime.sleep(600)'],
      '1',
      /^WorkflowError: Run \d+ of notebook \/team\/bad ended as TIMEDOUT/,
    ],
  ])('raises when the other one %s', async (_fact, cells, timeout, error) => {
    await runyard.putNotebook('/team/bad', cells);
    const runId = await submit('/team/asks', [`dbutils.notebook.run("./bad", ${timeout})`]);
    expect(await state(runId)).toMatchObject({ result_state: 'FAILED' });
    expect((await outputOf(runId)).error.replace(/^.*\.(?=WorkflowError)/, '')).toMatch(error);
  });

  test('can catch the failure of the child and run it again', async () => {
    const runId = await submit('/team/catches', [
      'try:\n  dbutils.notebook.run("/team/no-such", 5)\nexcept Exception as e:\n  print(e)\ntry:\n  dbutils.notebook.run("x" * 3, -1)\nexcept ValueError as e:\n  print(e)',
    ]);
    expect(await state(runId)).toMatchObject({ result_state: 'SUCCESS' });
    expect(logOf(runId)).toMatch(
      /^Run \d+ of notebook \/team\/no-such ended as FAILED: Notebook \/team\/no-such was not found.*\ntimeout_seconds is -1; it must be/,
    );
  });

  test('cancels the child when it is cancelled', async () => {
    await runyard.putNotebook('/team/slow', ['import time\ntime.sleep(600)']);
    const runId = await submit('/team/waits', ['dbutils.notebook.run("./slow")']);
    const child = await waitForChild('/team/slow', (run) => run.state.life_cycle_state === 'RUNNING');
    await runyard.callOk('POST', '2.1/jobs/runs/cancel', { run_id: runId });
    expect(await state(runId)).toMatchObject({ result_state: 'CANCELED' });
    expect(await state(child.run_id)).toMatchObject({
      life_cycle_state: 'TERMINATED',
      result_state: 'CANCELED',
    });
  });

  test('leaves no running child when its own process ends first', async () => {
    await runyard.putNotebook('/team/orphan', ['import time\ntime.sleep(600)']);
    const runId = await submit('/team/leaves', [
      'import os, threading, time\nthreading.Thread(target=lambda: dbutils.notebook.run("./orphan"), daemon=True).start()\nwhile not any(n.endswith(".json") for n in os.listdir("../questions")): time.sleep(0.01)\ntime.sleep(0.3)',
    ]);
    expect(await state(runId)).toMatchObject({ result_state: 'SUCCESS' });
    for (const child of await childrenOf('/team/orphan'))
      expect(await state(child.run_id)).toMatchObject({ result_state: 'CANCELED' });
  });

  test('that runs itself fails at the depth limit', async () => {
    const runId = await submit('/team/self', ['dbutils.notebook.run("./self")']);
    expect(await state(runId)).toMatchObject({ result_state: 'FAILED' });
    expect((await outputOf(runId)).error).toContain('of notebook /team/self ended as FAILED');
    expect(await childrenOf('/team/self')).toHaveLength(depth);
    const deepest = (await childrenOf('/team/self'))
      .map(({ run_id }) => run_id)
      .sort((a, b) => a - b)
      .at(-1);
    expect((await outputOf(deepest)).error).toContain(
      'The notebook /team/self would be started by notebooks nested 4 deep; at most 3 are allowed.',
    );
  });
});

test('spec 2.7: revision_timestamp selects the newest revision that is not later; an earlier timestamp is refused', async () => {
  await runyard.putNotebook('/team/history', ['dbutils.notebook.exit("first")']);
  const { modified_at: first } = await runyard.callOk('GET', '2.0/workspace/get-status', {
    path: '/team/history',
  });
  const modifiedAt = async (): Promise<number> =>
    (await runyard.callOk('GET', '2.0/workspace/get-status', { path: '/team/history' })).modified_at;
  // An import in the same millisecond would get the timestamp of the first revision.
  const second = await eventually(
    async () => {
      await runyard.putNotebook('/team/history', ['dbutils.notebook.exit("second")']);
      return modifiedAt();
    },
    { until: (time) => time !== first },
  );
  const ran = async (revision_timestamp?: number): Promise<ResponseBody> => {
    const notebook_task = {
      notebook_path: '/team/history',
      ...(revision_timestamp !== undefined && { revision_timestamp }),
    };
    const { run_id } = await runyard.callOk('POST', '2.0/jobs/runs/submit', {
      existing_cluster_id: 'c',
      notebook_task,
    });
    await runyard.waitForRunEnd(run_id);
    return outputOf(run_id);
  };
  expect((await ran(first)).notebook_output.result).toBe('first');
  expect((await ran(second - 1)).notebook_output.result).toBe('first');
  expect((await ran(second)).notebook_output.result).toBe('second');
  expect((await ran()).notebook_output.result).toBe('second');
  expect((await ran(first - 1)).error).toContain(
    `Notebook /team/history has no revision of ${first - 1} or before; the oldest that is kept is of ${first}`,
  );
});

describe('files, packages and a restarted Python', () => {
  test('dbutils.fs works on managed_fs and refuses every path outside it', async () => {
    const runId = await submit('/team/files', [
      'dbutils.fs.mkdirs("managed_fs:/out")\ndbutils.fs.put("dbfs:/out/a.txt", "hello", True)\ndbutils.fs.cp("/out", "/copy", recurse=True)\ndbutils.fs.mv("/copy/a.txt", "/copy/b.txt")\nprint(dbutils.fs.head("/copy/b.txt", 4), [f.path for f in dbutils.fs.ls("/copy")], dbutils.fs.rm("/out", True), dbutils.fs.rm("/out"))',
      'import os\nos.symlink("/etc", os.environ["RUNYARD_MANAGED_FS"] + "/link")\nfor ask in (lambda: dbutils.fs.ls("/link"), lambda: dbutils.fs.head("/link/passwd"), lambda: dbutils.fs.put("/../x", ""), lambda: dbutils.fs.cp("/copy/b.txt", "/link/x"), lambda: dbutils.fs.ls("file:/etc"), lambda: dbutils.fs.put("/copy/b.txt", "")):\n  try:\n    print("reached", ask())\n  except (ValueError, OSError) as e:\n    print(e)\nprint([f.name for f in dbutils.fs.ls("/") if "link" in f.name], dbutils.fs.rm("/link"), os.path.exists("/etc/passwd"))',
    ]);
    expect(await state(runId)).toMatchObject({ result_state: 'SUCCESS' });
    expect(logOf(runId)).toBe(
      [
        'Wrote 5 bytes.',
        "hell ['managed_fs:/copy/b.txt'] True False",
        'The path /link leads outside managed_fs.',
        'The path /link/passwd leads outside managed_fs.',
        'The path /../x leads outside managed_fs.',
        'The path /link/x leads outside managed_fs.',
        'The path file:/etc is not in managed_fs; dbutils.fs takes managed_fs:/x, dbfs:/x or /x.',
        '/copy/b.txt already exists; pass overwrite=True to replace it.',
        '[] True True',
        '',
      ].join('\n'),
    );
    expect((await runyard.callOk('GET', '2.0/managed_fs/list', { path: '/copy' })).files).toHaveLength(1);
  });

  test('restartPython clears names and keeps widgets, task values and outputs', async () => {
    const runId = await submit('/team/restarts', [
      'x = 1\ndbutils.widgets.text("kept", "yes")\ndbutils.jobs.taskValues.set("one", 1)\nprint("before")',
      'dbutils.library.restartPython()',
      'dbutils.jobs.taskValues.set("two", 2)\ndbutils.notebook.exit(dbutils.widgets.get("kept") + str("x" in globals()))',
    ]);
    expect(await state(runId)).toMatchObject({ result_state: 'SUCCESS' });
    expect((await outputOf(runId)).notebook_output.result).toBe('yesFalse');
    expect(shown(runId, 1)).toEqual([{ type: 'stdout', data: 'before\n' }]);
    expect(JSON.parse(readFileSync(attempt(runId, 'values.json'), 'utf8'))).toEqual({ one: '1', two: '2' });
  });

  test('%pip installs a wheel from managed_fs for this notebook only and explains a failure', async () => {
    const wheel =
      'import base64, os, zipfile\nname = "tiny_rain-1.0"\nwith zipfile.ZipFile(os.environ["RUNYARD_MANAGED_FS"] + "/tiny_rain-1.0-py3-none-any.whl", "w") as z:\n  z.writestr("tiny_rain.py", "MM = 5")\n  z.writestr(name + ".dist-info/METADATA", "Metadata-Version: 2.1\\nName: tiny-rain\\nVersion: 1.0\\n")\n  z.writestr(name + ".dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")\n  z.writestr(name + ".dist-info/RECORD", "")';
    const runId = await submit('/team/pip', [
      wheel,
      '# MAGIC %pip install --no-index managed_fs:/tiny_rain-1.0-py3-none-any.whl',
      'import tiny_rain\ntiny_rain.MM',
      '# MAGIC %pip install --no-index no-such-package-of-ours',
    ]);
    expect(await state(runId)).toMatchObject({ result_state: 'FAILED' });
    const { error } = await outputOf(runId);
    // Without pip the cell fails with a message; with pip the wheel works and the missing package fails.
    if (String(error).includes('needs pip')) return expect(error).toContain('Install it there');
    expect(shown(runId, 3)).toEqual([{ type: 'text', data: '5' }]);
    expect(error).toMatch(
      /^%pip install failed with exit code 1: No matching distribution found for no-such-package-of-ours/,
    );
    expect(readdirSync(attempt(runId, 'packages'))).toContain('tiny_rain.py');
  });
});

describe('misbehaving notebooks', () => {
  test.each<[string, string, string, RegExp]>([
    [
      'spec 2.7, 7, 8: a cell above 8 MB',
      'print("x" * 9_000_000)',
      'FAILED',
      /^Cell 1 exceeded the output limit of 8 MB/,
    ],
    [
      'one line of 100 MB',
      'import sys\nfor _ in range(100): sys.stdout.write("x" * 1_000_000)',
      'FAILED',
      /^Cell 1 exceeded the output limit of 8 MB/,
    ],
    [
      'a shell that prints without end',
      '# MAGIC %sh yes',
      'FAILED',
      /^Cell 1 exceeded the output limit of 8 MB/,
    ],
    [
      'codes for terminals, bytes that are no UTF-8',
      '# MAGIC %sh printf "\\033]0;title\\007\\033[2J\\377\\n"; exit 0',
      'SUCCESS',
      /^$/,
    ],
    ['a fork that forgets to end', 'import os\nos.fork()', 'SUCCESS', /^$/],
    [
      'a process that detaches and ignores TERM',
      'import subprocess\nsubprocess.Popen(["sh", "-c", "trap \'\' TERM; while :; do sleep 0.1; done"], start_new_session=True)',
      'SUCCESS',
      /^$/,
    ],
  ])(
    '%s',
    async (_fact, cell, result, error) => {
      const runId = await submit('/team/hostile', [cell, 'print("second")']);
      expect(await state(runId)).toMatchObject({ result_state: result });
      expect((await outputOf(runId)).error ?? '').toMatch(error);
      expect(reportOf(runId).cells[1]?.status).toBe(result === 'SUCCESS' ? 'finished' : 'skipped');
      if (result === 'SUCCESS') expect(shown(runId, 2)).toEqual([{ type: 'stdout', data: 'second\n' }]);
      // No process of the attempt is left.
      const left = readdirSync('/proc')
        .filter((pid) => /^\d+$/.test(pid))
        .filter((pid) => {
          try {
            return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(
              `RUNYARD_ATTEMPT_DIR=${attempt(runId, '').replace(/\/$/, '')}\0`,
            );
          } catch {
            return false;
          }
        });
      expect(left).toEqual([]);
    },
    60_000,
  );

  test('a killed notebook keeps the output of its running cell', async () => {
    const runId = await submit('/team/killed', [
      'import time\nprint("so far", flush=True)\nwhile True: time.sleep(0.1)',
    ]);
    await eventually(
      () => existsSync(attempt(runId, 'notebook.json')) && reportOf(runId).cells[0]?.outputs.length === 1,
      { until: Boolean },
    );
    const [pid = ''] = readFileSync(attempt(runId, 'pid'), 'utf8').split(' ');
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    process.kill(Number(children[0]), 'SIGKILL');
    expect(await state(runId)).toMatchObject({ result_state: 'FAILED' });
    expect(shown(runId, 1)).toMatchObject([
      { type: 'stdout', data: 'so far\n' },
      { type: 'error', summary: expect.stringContaining('SIGKILL') },
    ]);
  });
});
