/** Export of notebook runs through HTTP (spec 2.10, 4.1 rule 8). */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { notebookModelName } from '../../engine/validation/aliases.ts';
import { extractModel } from '../unit/engine/run/notebook-page/sample-notebooks.ts';
import { eventually } from '../harness/eventually.ts';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

let runyard: TestService;
beforeAll(async () => {
  runyard = await startTestService();
});
afterAll(() => runyard.stop());

async function submit(
  path: string,
  cells: readonly string[],
  base_parameters: Record<string, string> = {},
): Promise<number> {
  await runyard.putNotebook(path, cells);
  return (
    await runyard.callOk('POST', '2.0/jobs/runs/submit', {
      existing_cluster_id: 'c',
      notebook_task: { notebook_path: path, base_parameters },
    })
  ).run_id;
}

async function views(run_id: number, views_to_export = 'ALL'): Promise<ResponseBody> {
  return (await runyard.callOk('GET', '2.0/jobs/runs/export', { run_id, views_to_export })).views;
}

const table = 'displayHTML("<table><tr><td>" + dbutils.widgets.get("year") + "</td></tr></table>")';

test('spec 4.1.8: export of a successful notebook shows code, Markdown, table and result', async () => {
  const runId = await submit(
    '/team/rain',
    [
      '# MAGIC %md # Rain & snow',
      '# DBTITLE 1,The table\nprint("logged")\n' + table,
      'dbutils.notebook.exit("done")',
      'never()',
    ],
    { year: '2013' },
  );
  await runyard.waitForRunEnd(runId);
  const [code, dashboard] = await views(runId);
  expect([code.name, code.type, dashboard.name, dashboard.type]).toEqual([
    'rain',
    'NOTEBOOK',
    'rain',
    'DASHBOARD',
  ]);
  for (const part of [
    'Succeeded',
    '<h1>Rain &amp; snow</h1>',
    '<h2>The table</h2>',
    'logged',
    '&lt;td&gt;2013&lt;/td&gt;',
    '>done<',
    'Not run',
    '<td>2013</td>',
  ])
    expect(code.content).toContain(part);
  expect(dashboard.content).toContain('&lt;td&gt;2013&lt;/td&gt;');
  for (const part of ['logged', 'displayHTML', 'never()']) expect(dashboard.content).not.toContain(part);
  expect(extractModel(code.content).commands).toMatchObject([
    { command: '%md # Rain & snow', state: 'finished' },
    {
      commandTitle: 'The table',
      results: { type: 'listResults', data: [{ type: 'ansi', data: 'logged\n' }, { type: 'htmlSandbox' }] },
    },
    { state: 'finished', results: null },
    { command: 'never()', state: 'input' },
  ]);
});

test('spec 4.1.8: export of a failed notebook shows earlier output, the error, and the cells that did not run', async () => {
  const runId = await submit('/team/fails', ['print("before")', '1 / 0', 'print("after")']);
  await runyard.waitForRunEnd(runId);
  const [{ content }] = await views(runId, 'CODE');
  for (const part of [
    'before',
    '<a href="#cell-2">Cell 2</a> failed: ZeroDivisionError: division by zero',
    'Traceback (most recent call last)',
    'Not run',
  ])
    expect(content).toContain(part);
  expect(extractModel(content).commands).toMatchObject([
    { results: { type: 'ansi', data: 'before\n' } },
    {
      state: 'error',
      errorSummary: 'ZeroDivisionError: division by zero',
      error: expect.stringContaining('Traceback'),
    },
    { state: 'input', results: null },
  ]);
});

test('spec 4.1.8: export of a running notebook shows the output so far', async () => {
  const runId = await submit('/team/runs', [
    'print("so far")',
    'import time\ntime.sleep(600)',
    'print("later")',
  ]);
  const page: string = await eventually(async () => (await views(runId, 'CODE'))[0].content, {
    until: (content) => content.includes('so far</pre>') || content.includes('so far\n</pre>'),
  });
  for (const part of [
    'This run is active',
    '<span class="label">Running</span>',
    '<span class="label">Not reached yet</span>',
  ])
    expect(page).toContain(part);
  await runyard.callOk('POST', '2.0/jobs/runs/cancel', { run_id: runId });
  await runyard.waitForRunEnd(runId);
  const [{ content }] = await views(runId, 'CODE');
  expect(content).toContain('Cancelled');
  expect(content).toContain('The task was stopped while this cell was running.');
});

test('spec 4.1.8: export of a run whose notebook is missing shows a page that says so', async () => {
  const { run_id } = await runyard.callOk('POST', '2.0/jobs/runs/submit', {
    existing_cluster_id: 'c',
    notebook_task: { notebook_path: '/no/such' },
  });
  await runyard.waitForRunEnd(run_id);
  const [{ content, name }] = await views(run_id, 'CODE');
  expect(name).toBe('such');
  expect(content).toContain('Notebook /no/such was not found in the workspace');
});

test('common extraction scripts find the notebook model', async () => {
  const runId = await submit('/team/ünï', ['"é € 😀 </script>"']);
  await runyard.waitForRunEnd(runId);
  const [{ content }] = await views(runId, 'CODE');
  const script = `import sys, re, json, base64, urllib.parse
found = re.search(r"var ${notebookModelName} = '(.*)';", sys.stdin.buffer.read().decode()).group(1)
print(ascii([c["results"]["data"] for c in json.loads(urllib.parse.unquote(base64.b64decode(found).decode()))["commands"]]))`;
  const { stdout } = spawnSync('python3', ['-c', script], { input: content, encoding: 'utf8' });
  expect(stdout.trim()).toBe(String.raw`["'\xe9 \u20ac \U0001f600 </script>'"]`);
});
