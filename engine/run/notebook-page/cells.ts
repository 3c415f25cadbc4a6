/** Renders the cells of a notebook as HTML: code or Markdown, phase, and outputs. */
import type { CellLanguage, NotebookCell } from '../task-output.ts';
import type { CellWriter } from './code.ts';
import { formatDuration } from './time-format.ts';
import { isActive, languageOf, phaseOf, type CellPhase, type ExportedNotebook } from './exported-notebook.ts';
import { html, type Markup } from './markup.ts';
import { outputMarkup } from './outputs.ts';

/** Label of a cell; a finished cell has none. */
const phaseLabels: Readonly<Record<CellPhase, string | undefined>> = {
  finished: undefined,
  failed: 'Failed',
  running: 'Running',
  interrupted: 'Interrupted',
  waiting: 'Not reached yet',
  skipped: 'Not run',
};

/** Label of a cell in another language than its notebook. */
const languageLabels: Readonly<Record<CellLanguage, string | undefined>> = {
  python: 'Python',
  sql: 'SQL',
  javascript: 'JavaScript',
  scala: 'Scala',
  r: 'R',
  shell: 'Shell',
  pip: 'pip',
  run: 'Run',
  markdown: undefined,
};

/** Renders a cell. */
export function cellMarkup(cell: NotebookCell, notebook: ExportedNotebook, writer: CellWriter): Markup {
  const phase = phaseOf(cell, isActive(notebook));
  return html`<section class="cell ${phase} ${cell.language}" id="cell-${cell.position}">
${headingMarkup(cell, phase, languageOf(notebook))}${contentsMarkup(cell, writer)}${cell.outputs.map((output) => outputMarkup(output, cell.position))}</section>
`;
}

function contentsMarkup({ language, source }: NotebookCell, writer: CellWriter): Markup | undefined {
  if (source === '') return undefined;
  if (language === 'markdown')
    return html`<div class="prose">${writer.markdown(source)}</div>
`;
  return html`<pre class="code" tabindex="0"><code>${writer.code(source, language)}</code></pre>
`;
}

/** Renders number, title, phase and duration of a cell. Markdown without a title has no heading. */
function headingMarkup(
  { position, language, title, source, startTime, finishTime }: NotebookCell,
  phase: CellPhase,
  notebookLanguage: CellLanguage,
): Markup | undefined {
  const label = language === 'markdown' ? undefined : phaseLabels[phase];
  if (language === 'markdown' && title === undefined) return undefined;
  // A dashboard shows no code and therefore no language.
  const tag = language === notebookLanguage || source === '' ? undefined : languageLabels[language];
  const duration =
    startTime === undefined || finishTime === undefined || language === 'markdown'
      ? undefined
      : formatDuration(finishTime - startTime);
  return html`<header><a class="number" href="#cell-${position}">${position}</a>${title === undefined ? undefined : html`<h2>${title}</h2>`}
${tag === undefined ? undefined : html`<span class="language">${tag}</span>`}${label === undefined ? undefined : html`<span class="label">${label}</span>`}${duration === undefined ? undefined : html`<span class="took">${duration}</span>`}</header>
`;
}
