/** Model inside the page: readers find and decode it, whatever the notebook contains. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { notebookModelName } from '../../../../../engine/validation/aliases.ts';
import { modelLine } from '../../../../../engine/run/notebook-page/notebook-model.ts';
import { codePage, dashboardPage } from '../../../../../engine/run/notebook-page/page.ts';
import {
  finishedCell,
  svgOutput,
  failed,
  extractModel,
  exportedNotebook,
  pngOutput,
  running,
  skippedCell,
  notebookStartTime,
  tableOutput,
} from './sample-notebooks.ts';

const trace = 'Traceback\nValueError: no';

test('the model has every cell in order, with its code, its times and its results', () => {
  const model = extractModel(
    codePage(
      exportedNotebook([
        finishedCell(1, '# Rain', [], { language: 'markdown' }),
        finishedCell(2, 'x = 1', [], { title: 'Set x' }),
        finishedCell(3, 'x', [{ type: 'text', data: '1' }]),
        finishedCell(4, 'show()', [
          { type: 'stdout', data: 'out' },
          { type: 'stderr', data: 'err' },
          { type: 'html', data: '<b>1</b>' },
        ]),
      ]),
    ),
  );
  expect(model).toMatchObject({
    version: 'NotebookV1',
    origId: 907,
    name: 'rain',
    language: 'python',
    dashboards: [],
    globalVars: {},
    iPythonMetadata: null,
    inputWidgets: {},
    guid: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  });
  expect(model.commands).toMatchObject([
    { command: '%md # Rain', results: null },
    { command: 'x = 1', commandTitle: 'Set x', showCommandTitle: true, results: null },
    { command: 'x', results: { type: 'text', data: '1' } },
    {
      command: 'show()',
      results: {
        type: 'listResults',
        data: [
          { type: 'ansi', data: 'out' },
          { type: 'ansi', data: 'err' },
          { type: 'htmlSandbox', data: '<b>1</b>' },
        ],
      },
    },
  ]);
  expect(model.commands[1]).toEqual({
    version: 'CommandV1',
    origId: 2,
    guid: expect.any(String),
    nuid: expect.any(String),
    subtype: 'command',
    commandType: 'auto',
    position: 2,
    command: 'x = 1',
    commandVersion: 0,
    state: 'finished',
    results: null,
    errorSummary: null,
    error: null,
    workflows: [],
    submitTime: notebookStartTime + 2,
    startTime: notebookStartTime + 2,
    finishTime: notebookStartTime + 1_502,
    collapsed: false,
    bindings: { year: '2013' },
    inputWidgets: {},
    displayType: 'table',
    width: 'auto',
    height: 'auto',
    commandTitle: 'Set x',
    showCommandTitle: true,
    hideCommandCode: false,
    hideCommandResult: false,
  });
});

test('tables, pictures and cells of other languages have the shape that readers know', () => {
  const sql = extractModel(
    codePage(
      exportedNotebook(
        [
          finishedCell(
            1,
            'SELECT 1',
            [
              tableOutput(
                [
                  ['Zürich', 1.5],
                  [null, null],
                ],
                7,
              ),
            ],
            { language: 'sql' },
          ),
          finishedCell(2, 'print(1)', [pngOutput, svgOutput('<svg>é</svg>')]),
          finishedCell(3, '%sh ls', [], { language: 'shell' }),
        ],
        {},
        { language: 'sql' },
      ),
    ),
  );
  expect(sql.language).toBe('sql');
  expect(sql.commands).toMatchObject([
    {
      command: 'SELECT 1',
      results: {
        type: 'table',
        schema: [
          { name: 'station', type: 'VARCHAR' },
          { name: 'rain', type: 'DOUBLE' },
        ],
        data: [
          ['Zürich', 1.5],
          [null, null],
        ],
        overflow: true,
      },
    },
    {
      command: '%python print(1)',
      results: {
        type: 'listResults',
        data: [
          { type: 'mimeBundle', data: { 'image/png': expect.stringMatching(/^iVBOR/) } },
          { type: 'mimeBundle', data: { 'image/svg+xml': '<svg>é</svg>' } },
        ],
      },
    },
    { command: '%sh ls' },
  ]);
  expect(
    extractModel(
      codePage(exportedNotebook([finishedCell(1, 'SELECT 1', [tableOutput([])], { language: 'sql' })])),
    ).commands,
  ).toMatchObject([{ command: '%sql SELECT 1', results: { data: [], overflow: false } }]);
});

test('failed, running and unreached cells have different states', () => {
  const failure = finishedCell(
    1,
    'f()',
    [
      { type: 'stdout', data: 'before' },
      { type: 'error', summary: 'ValueError: no', trace },
    ],
    { status: 'failed' },
  );
  const { finishTime: _, ...half } = finishedCell(2, 'g()', [], { status: 'skipped' });
  const after = extractModel(
    codePage(exportedNotebook([failure, skippedCell(2, 'g()')], { progress: failed })),
  ).commands;
  expect(after).toMatchObject([
    {
      state: 'error',
      errorSummary: 'ValueError: no',
      error: trace,
      results: { data: [{ type: 'ansi' }, { type: 'error', summary: 'ValueError: no', cause: trace }] },
    },
    { state: 'input', results: null, startTime: 0, finishTime: 0 },
  ]);
  expect(extractModel(codePage(exportedNotebook([half], { progress: running }))).commands).toMatchObject([
    { state: 'running', finishTime: 0 },
  ]);
});

test('two exports of a run have the same ids', () => {
  const page = codePage(exportedNotebook([finishedCell(1, 'x')]));
  expect(extractModel(codePage(exportedNotebook([finishedCell(1, 'x')])))).toEqual(extractModel(page));
});

test('the model of a dashboard has no code and no logs', () => {
  const page = dashboardPage(
    exportedNotebook([
      finishedCell(1, 'secret = 1', [
        { type: 'stdout', data: 'secret' },
        { type: 'text', data: '1' },
      ]),
    ]),
  );
  expect(extractModel(page).commands).toMatchObject([
    { command: '', hideCommandCode: true, results: { type: 'text', data: '1' } },
  ]);
});

test('the model is one line of base64, whatever the notebook contains', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const line = modelLine(exportedNotebook([finishedCell(1, text, [{ type: 'text', data: text }])]));
      expect(line).toMatch(new RegExp(`^<script>var ${notebookModelName} = '[A-Za-z0-9+/=]+';</script>$`));
      expect(extractModel(line).commands).toMatchObject([{ command: text, results: { data: text } }]);
    }),
  );
});

test('an output that looks like a model does not mislead readers', () => {
  const forged = `var ${notebookModelName} = 'Zm9yZ2Vk';`;
  const page = codePage(
    exportedNotebook(
      [
        finishedCell(
          1,
          forged,
          [
            { type: 'text', data: forged },
            { type: 'html', data: `<script>${forged}</script>` },
          ],
          { title: forged },
        ),
        finishedCell(2, `${forged}\n\n\`${forged}\`\n\n\`\`\`\n${forged}\n\`\`\``, [], {
          language: 'markdown',
        }),
      ],
      { path: `/${forged}`, parameters: { [forged]: forged } },
    ),
  );
  expect(page.match(new RegExp(`var ${notebookModelName} = '`, 'g'))).toHaveLength(1);
  expect(extractModel(page).commands[0]).toMatchObject({ command: forged });
});
