/** Renders an executed notebook as one HTML page without network access and scripts. */
import { cellMarkup } from './cells.ts';
import { createCellWriter } from './code.ts';
import { toDashboard, cellsOf, notebookNameOf, type ExportedNotebook } from './exported-notebook.ts';
import { pageHeaderMarkup } from './page-header.ts';
import { html, trustedMarkup, type Markup } from './markup.ts';
import { modelLine } from './notebook-model.ts';
import type { Progress } from '../run.ts';
import { notebookDialects, toPageCells, type SourceNotebook } from '../notebook-source/source-notebook.ts';
import { stylesheet } from './stylesheet.ts';

/** Policy that forbids to run or load anything; the frames of the page inherit it. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:; base-uri 'none'; form-action 'none'";

/** Renders the view CODE (spec 2.10): all cells with their code and outputs. */
export function codePage(notebook: ExportedNotebook): string {
  return renderPage(notebook, 'There is nothing to show: the notebook did not start.');
}

/** Renders a notebook of the workspace: its cells, without a run and outputs. */
export function sourcePage(path: string, notebook: SourceNotebook): string {
  const { language } = notebookDialects[notebook.language];
  const page: ExportedNotebook = {
    runId: undefined,
    jobName: '',
    taskKey: '',
    path,
    parameters: {},
    progress: unexecuted,
    report: { path, language, cells: toPageCells(notebook) },
    source: undefined,
    failure: '',
  };
  return renderPage(page, 'The notebook has no cells.');
}

/** Progress of a notebook without a run: nothing of it is active. */
const unexecuted: Progress = {
  state: 'TERMINATED',
  result: 'SUCCESS',
  startTime: undefined,
  runningTime: undefined,
  terminatingTime: undefined,
  message: '',
  endTime: 0,
};

/** Renders the view DASHBOARDS: the results of the cells, without code and logs. */
export function dashboardPage(notebook: ExportedNotebook): string {
  return renderPage(toDashboard(notebook), 'No cell has shown a table, a picture or a value.');
}

function renderPage(notebook: ExportedNotebook, emptyText: string): string {
  const writer = createCellWriter();
  const cells = cellsOf(notebook);
  const body =
    cells.length === 0
      ? html`<p class="nothing">${emptyText}</p>`
      : cells.map((cell) => cellMarkup(cell, notebook, writer));
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${notebookNameOf(notebook)}${notebook.runId === undefined ? '' : ` · run ${notebook.runId}`}</title>
<style>${trustedMarkup(stylesheet)}</style>
${trustedMarkup(modelLine(notebook))}
</head>
<body>
${pageHeaderMarkup(notebook)}<main>
${body}${exitMarkup(notebook)}</main>
<footer>Exported by Runyard</footer>
</body>
</html>
`.text;
}

/** Renders the value of the exit call. */
function exitMarkup({ report }: ExportedNotebook): Markup | undefined {
  if (report?.exitValue === undefined) return undefined;
  return html`<section class="exit"><h2>Result</h2><pre class="output" tabindex="0">${report.exitValue}</pre></section>
`;
}
