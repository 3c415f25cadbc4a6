/** SQL and JavaScript notebooks through HTTP: import, run, cancel and export. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { notebookModelName } from '../../engine/validation/aliases.ts';
import { extractModel } from '../unit/engine/run/notebook-page/sample-notebooks.ts';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { eventually } from '../harness/eventually.ts';

let runyard: TestService;
beforeAll(async () => {
  runyard = await startTestService();
  await runyard.putFile(
    '/rain.csv',
    'station,year,rain\nZürich,2012,1.5\nZürich,2013,2.5\n<b>Bern</b>,2013,\n',
  );
});
afterAll(() => runyard.stop());

const marks = { SQL: '--', JAVASCRIPT: '//', SCALA: '//' } as const;

async function put(path: string, language: keyof typeof marks, cells: readonly string[]): Promise<void> {
  const mark = marks[language];
  const content = Buffer.from(
    `${mark} Databricks notebook source\n${cells.join(`\n\n${mark} COMMAND ----------\n\n`)}\n`,
  ).toString('base64');
  await runyard.callOk('POST', '2.0/workspace/import', {
    path,
    language,
    format: 'SOURCE',
    overwrite: true,
    content,
  });
}

async function view(run_id: number, views_to_export = 'CODE'): Promise<string> {
  const { views } = await runyard.callOk('GET', '2.0/jobs/runs/export', { run_id, views_to_export });
  return views.map(({ content }: ResponseBody) => content).join('\n');
}

async function submit(notebook_path: string, base_parameters: Record<string, string> = {}): Promise<number> {
  return (
    await runyard.callOk('POST', '2.0/jobs/runs/submit', {
      existing_cluster_id: 'c',
      notebook_task: { notebook_path, base_parameters },
    })
  ).run_id;
}

test('spec 2.7: a task value of a JavaScript notebook becomes a parameter of the downstream SQL notebook', async () => {
  await put('/team/pick', 'JAVASCRIPT', [
    'const year = 2000 + 13;\ndbutils.jobs.taskValues.set("year", year);',
    'dbutils.notebook.exit({ picked: year })',
  ]);
  await put('/team/rain', 'SQL', [
    '-- MAGIC %md ## Rain & snow',
    "-- DBTITLE 1,By station\nSELECT station, rain\nFROM read_csv('managed_fs:/rain.csv')\nWHERE year = :year",
  ]);
  const existing = { existing_cluster_id: 'c' };
  const { run_id } = await runyard.callOk('POST', '2.1/jobs/runs/submit', {
    tasks: [
      { ...existing, task_key: 'pick', notebook_task: { notebook_path: '/team/pick' } },
      {
        ...existing,
        task_key: 'rain',
        depends_on: [{ task_key: 'pick' }],
        notebook_task: {
          notebook_path: '/team/rain',
          base_parameters: { year: '{{tasks.pick.values.year}}' },
        },
      },
    ],
  });
  const {
    state,
    tasks: [pick, rain],
  } = await runyard.waitForRunEnd(run_id);
  expect(state.result_state).toBe('SUCCESS');
  expect(
    (await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: pick.run_id })).notebook_output.result,
  ).toBe('{"picked":2013}');
  const code = await view(rain.run_id);
  for (const part of [
    '<h2>Rain &amp; snow</h2>',
    '<h2>By station</h2>',
    '<span class="hljs-keyword">SELECT</span>',
    'Zürich',
    '&lt;b&gt;Bern&lt;/b&gt;',
    '<td class="null">null</td>',
    '2 rows, 2 columns',
    '<td>2013</td>',
  ])
    expect(code).toContain(part);
  const dashboard = await view(rain.run_id, 'DASHBOARDS');
  expect(dashboard).toContain('2 rows, 2 columns');
  expect(dashboard).not.toContain('SELECT');
});

test('spec 4.1.8: common extraction scripts read the rows of an exported SQL notebook', async () => {
  await put('/team/rows', 'SQL', [
    "SELECT station, rain FROM 'managed_fs:/rain.csv' ORDER BY year, station DESC",
  ]);
  const runId = await submit('/team/rows');
  await runyard.waitForRunEnd(runId);
  const page = await view(runId, 'ALL');
  expect(extractModel(page)).toMatchObject({
    language: 'sql',
    commands: [
      {
        command: expect.stringContaining('SELECT'),
        results: {
          type: 'table',
          schema: [
            { name: 'station', type: 'varchar' },
            { name: 'rain', type: 'double' },
          ],
          data: [
            ['Zürich', 1.5],
            ['Zürich', 2.5],
            ['<b>Bern</b>', null],
          ],
        },
      },
    ],
  });
  const script = `import sys, re, json, base64, urllib.parse
found = re.search(r"var ${notebookModelName} = '(.*)';", sys.stdin.buffer.read().decode()).group(1)
results = json.loads(urllib.parse.unquote(base64.b64decode(found).decode()))["commands"][0]["results"]
print(ascii([[column["name"] for column in results["schema"]]] + results["data"]))`;
  const { stdout } = spawnSync('python3', ['-c', script], { input: page, encoding: 'utf8' });
  expect(stdout.trim()).toBe(
    String.raw`[['station', 'rain'], ['Z\xfcrich', 1.5], ['Z\xfcrich', 2.5], ['<b>Bern</b>', None]]`,
  );
});

test('the notebooks of the documentation run as they are written', async () => {
  await runyard.putFile(
    '/rain.json',
    JSON.stringify([
      { year: 2012, rain: 1 },
      { year: 2013, rain: 2 },
    ]),
  );
  const guide = readFileSync(
    new URL('../../docs/guides/notebooks-sql-javascript.md', import.meta.url),
    'utf8',
  );
  for (const [language, fence] of [
    ['SQL', 'sql'],
    ['JAVASCRIPT', 'js'],
  ] as const) {
    const [, text = ''] =
      new RegExp(`<!-- notebook: ${fence} -->\n\`\`\`${fence}\n([\\s\\S]*?)\`\`\``).exec(guide) ?? [];
    await runyard.callOk('POST', '2.0/workspace/import', {
      path: `/readme/${fence}`,
      language,
      format: 'SOURCE',
      content: Buffer.from(text).toString('base64'),
    });
    const runId = await submit(`/readme/${fence}`, { year: '2013' });
    expect((await runyard.waitForRunEnd(runId)).state.result_state).toBe('SUCCESS');
    expect(extractModel(await view(runId)).commands).toHaveLength(2);
    expect(await view(runId)).toContain(fence === 'sql' ? '2 rows, 2 columns' : '1 row, 2 columns');
  }
});

test('a cancelled query ends at once, and earlier output stays', async () => {
  await put('/team/long', 'SQL', [
    "SELECT 'so far' AS a",
    "SELECT 'first' AS b;\nSELECT count(*) FROM range(1_000_000) x, range(1_000_000) y, range(1_000_000) z WHERE x.range % 7 = y.range % 5",
    'SELECT 3',
  ]);
  const runId = await submit('/team/long');
  let page = await eventually(() => view(runId), { until: (content) => content.includes('>first</td>') });
  for (const part of [
    'This run is active',
    '>so far</td>',
    '<span class="label">Running</span>',
    '<span class="label">Not reached yet</span>',
  ])
    expect(page).toContain(part);
  await runyard.callOk('POST', '2.0/jobs/runs/cancel', { run_id: runId });
  expect((await runyard.waitForRunEnd(runId)).state.result_state).toBe('CANCELED');
  page = await view(runId);
  for (const part of [
    'Cancelled',
    '>so far</td>',
    '>first</td>',
    'The task was stopped while this cell was running.',
    'Not run',
  ])
    expect(page).toContain(part);
});

test('a failed notebook names the failing cell in its output and its page', async () => {
  await put('/team/fails', 'JAVASCRIPT', ['console.log("before")', 'const rows = undefined;\nrows.length']);
  const runId = await submit('/team/fails');
  expect((await runyard.waitForRunEnd(runId)).state).toMatchObject({
    result_state: 'FAILED',
    state_message: expect.stringContaining('Workload failed, see run output for details'),
  });
  const { error, error_trace } = await runyard.callOk('GET', '2.0/jobs/runs/get-output', { run_id: runId });
  expect(error).toBe("TypeError: Cannot read properties of undefined (reading 'length')");
  expect(error_trace).toContain('>   2 | rows.length');
  expect(await view(runId)).toContain('<a href="#cell-2">Cell 2</a> failed: TypeError');
});

test('a JavaScript notebook gets the result of a notebook that it runs, or its failure', async () => {
  await put('/team/child', 'JAVASCRIPT', ['dbutils.notebook.exit(`hello ${dbutils.widgets.get("who")}`)']);
  await put('/team/calls', 'JAVASCRIPT', [
    'const greeting = await dbutils.notebook.run("./child", 60, { who: "ada" });\nlet why;\ntry { await dbutils.notebook.run("/team/nowhere"); } catch (error) { why = error.message; }',
    'dbutils.notebook.exit([greeting, why])',
  ]);
  const runId = await submit('/team/calls');
  expect((await runyard.waitForRunEnd(runId)).state.result_state).toBe('SUCCESS');
  const [greeting, why] = JSON.parse(
    (await runyard.callOk('GET', '2.0/jobs/runs/get-output', { run_id: runId })).notebook_output.result,
  );
  expect([greeting, why]).toEqual(['hello ada', expect.stringContaining('/team/nowhere')]);
});

test('a Scala notebook is stored; its run fails with the supported languages', async () => {
  await put('/team/scala', 'SCALA', ['val a = 1']);
  expect((await runyard.callOk('GET', '2.0/workspace/get-status', { path: '/team/scala' })).language).toBe(
    'SCALA',
  );
  const runId = await submit('/team/scala');
  const { state } = await runyard.waitForRunEnd(runId);
  expect(state.state_message).toContain(
    'The notebook /team/scala is a Scala notebook, which is not supported',
  );
});
