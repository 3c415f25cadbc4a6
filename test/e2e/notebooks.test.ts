/** Notebooks through HTTP: cells of other languages, utilities, packages, and revisions. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { eventually } from '../harness/eventually.ts';
import {
  registerService,
  runyard,
  text,
  submit,
  outputOf,
  attempt,
  reportOf,
  logOf,
  shown,
  state,
} from './notebooks-harness.ts';

registerService();

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
        'The path file:/etc is not in managed_fs; dbutils.fs takes managed_fs:/x, dbfs:/x, /dbfs/x, /Volumes/x or /x.',
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
