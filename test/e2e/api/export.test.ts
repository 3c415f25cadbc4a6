/** runs/export through HTTP: views and refused requests. */
import { Check } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCoreOperations } from '../../../api/http/operations.ts';
import type { NotebookReport } from '../../../engine/run/task-output.ts';
import { extractModel } from '../../unit/engine/run/notebook-page/sample-notebooks.ts';
import { idFrom, startApiHarness, type ApiResponse, type ApiHarness } from '../../unit/api/api-harness.ts';

const single = {
  existing_cluster_id: 'c',
  notebook_task: { notebook_path: '/team/rain', base_parameters: { year: '2012', day: '1' } },
};
const python = { existing_cluster_id: 'c', spark_python_task: { python_file: 'managed_fs:/x.py' } };
const report: NotebookReport = {
  path: '/team/rain',
  parameters: { year: '2013' },
  cells: [
    {
      position: 1,
      language: 'python',
      source: 'code()',
      status: 'finished',
      outputs: [{ type: 'html', data: '<b>1</b>' }],
    },
  ],
};
let service: ApiHarness;

beforeAll(async () => {
  service = await startApiHarness();
});
afterAll(() => service.close());

const submit = async (body: object, version = '2.0'): Promise<number> =>
  idFrom(await service.post(`${version}/jobs/runs/submit`, body), 'run_id');

async function finished(
  body: object,
  left: Parameters<ApiHarness['outputs']['set']>[1] = {},
  result: 'SUCCESS' | 'FAILED' = 'SUCCESS',
): Promise<number> {
  const runId = await submit(body);
  await service.endRun(runId, { result, message: result === 'FAILED' ? 'Workload failed' : '' });
  service.outputs.set(runId, left);
  return runId;
}

const exportRun = (
  run_id: number | string,
  query: Record<string, string> = {},
  version = '2.0',
): Promise<ApiResponse> => service.get(`${version}/jobs/runs/export`, { run_id: String(run_id), ...query });

function viewsIn({ body }: ApiResponse): { content: string; name: string; type: string }[] {
  return Array.isArray(body['views']) ? body['views'] : [];
}

describe('spec 2.10, 4.1.8: views', () => {
  test.each([
    [undefined, ['NOTEBOOK']],
    ['CODE', ['NOTEBOOK']],
    ['DASHBOARDS', ['DASHBOARD']],
    ['ALL', ['NOTEBOOK', 'DASHBOARD']],
  ])('views_to_export %s gives %j, each named after the notebook', async (wanted, types) => {
    const runId = await finished(single, { report });
    const answer = await exportRun(runId, wanted === undefined ? {} : { views_to_export: wanted });
    expect(answer.status).toBe(200);
    expect(viewsIn(answer).map(({ name, type }) => [name, type])).toEqual(
      types.map((type) => ['rain', type]),
    );
    const documented =
      createCoreOperations(service.ports).find(({ path }) => path === '/jobs/runs/export')?.response ?? {};
    expect(Check(documented, answer.body)).toBe(true);
  });

  test('CODE contains code and outputs, DASHBOARDS only outputs', async () => {
    const [code, dashboard] = viewsIn(
      await exportRun(await finished(single, { report }), { views_to_export: 'ALL' }),
    );
    expect(code?.content).toContain('code()');
    expect(code?.content).toContain('&lt;b&gt;1&lt;/b&gt;');
    expect(dashboard?.content).not.toContain('code()');
    expect(dashboard?.content).toContain('&lt;b&gt;1&lt;/b&gt;');
    expect(extractModel(code?.content ?? '').commands).toMatchObject([
      { command: 'code()', bindings: { year: '2013' } },
    ]);
    expect(extractModel(dashboard?.content ?? '').commands).toMatchObject([{ command: '' }]);
  });

  test.each(['2.0', '2.1', '2.2'])('a task run is exported by its own id in %s', async (version) => {
    const runId = await submit({ tasks: [{ task_key: 'n', ...single }] }, version);
    const { body } = await service.get('2.1/jobs/runs/get', { run_id: String(runId) });
    const [task] = Array.isArray(body['tasks']) ? body['tasks'] : [];
    service.outputs.set(task.run_id, { report });
    const [view] = viewsIn(await exportRun(task.run_id, {}, version));
    expect(view?.content).toContain('<dt>Task</dt><dd>n</dd>');
    expect(view?.content).toContain('This run is active');
  });

  test('outputs above the limit are omitted with a message in the page', async () => {
    const small = await startApiHarness({}, { ...service.ports.limits, notebookExportBytes: 2_000 });
    try {
      const runId = idFrom(await small.post('2.0/jobs/runs/submit', single), 'run_id');
      small.outputs.set(runId, {
        report: {
          ...report,
          cells: [
            {
              position: 1,
              language: 'python',
              source: '',
              status: 'finished',
              outputs: [{ type: 'stdout', data: 'x'.repeat(9_000) }],
            },
          ],
        },
      });
      const [view] = viewsIn(await small.get('2.0/jobs/runs/export', { run_id: String(runId) }));
      expect(view?.content).toContain('an exported notebook has at most 2000 bytes');
      expect(view?.content).not.toContain('x'.repeat(2_000));
    } finally {
      await small.close();
    }
  });
});

describe('a notebook that never started', () => {
  test('exports the snapshot of its source with its parameters', async () => {
    const [view] = viewsIn(await exportRun(await finished(single, { source: 'import os' }, 'FAILED')));
    expect(view?.content).toContain('<span class="hljs-keyword">import</span> os');
    expect(view?.content).toContain('<th scope="row">day</th><td>1</td>');
  });

  test.each([
    [
      'its error',
      { output: { error: 'Notebook /team/rain was not found.' } },
      'Notebook /team/rain was not found.',
    ],
    ['the message of its state', {}, 'Workload failed'],
  ])('without a snapshot it shows %s', async (_, left, words) => {
    const [view] = viewsIn(await exportRun(await finished(single, left, 'FAILED')));
    expect(view?.content).toContain(words);
    expect(view?.content).toContain('the notebook did not start');
  });
});

describe('export is refused for', () => {
  test.each(['2.0', '2.1', '2.2'])('an unknown run in %s', async (version) => {
    expect(await exportRun(555_555, {}, version)).toMatchObject({
      status: 400,
      body: { error_code: 'INVALID_PARAMETER_VALUE', message: 'Run 555555 does not exist.' },
    });
  });

  test('spec 4.1.8, 7: a run of another kind', async () => {
    const runId = await finished(python);
    expect(await exportRun(runId)).toMatchObject({
      status: 400,
      body: {
        error_code: 'INVALID_PARAMETER_VALUE',
        message: `Run ${runId} is not a notebook run; only notebook runs can be exported as HTML.`,
      },
    });
  });

  test('a multi-task run, even with one task, and the message has the ids of its task runs', async () => {
    const runId = await submit({
      tasks: [
        { task_key: 'n', ...single },
        { task_key: 'p', ...python },
      ],
    });
    const { status, body } = await exportRun(runId);
    expect(status).toBe(400);
    expect(body['message']).toMatch(
      new RegExp(
        `^Run ${runId} has several tasks, .* use one of the task runs \\d+ \\(n\\), \\d+ \\(p\\)\\.$`,
      ),
    );
    expect((await exportRun(await submit({ tasks: [{ task_key: 'n', ...single }] }))).status).toBe(400);
  });

  test.each([
    [{ views_to_export: 'code' }, /views_to_export/],
    [{ run_id: 'x' }, /run_id/],
    [{ run_id: '' }, /run_id/],
  ])('%j', async (query, message) => {
    expect(await exportRun(await finished(single), query)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(message) },
    });
  });
});
