/** The cells of a notebook as HTML: code or Markdown, how far it came, and all that it showed in its order. */
import type { NotebookCell } from '../output.ts';
import type { CellWriter } from './code.ts';
import { duration } from './durations.ts';
import { phaseOf, type CellPhase } from './exported.ts';
import { html, type Markup } from './markup.ts';
import { outputMarkup } from './outputs.ts';

/** What is said beside a cell; nothing beside one that simply ran. */
const labels: Readonly<Record<CellPhase, string | undefined>> = {
  finished: undefined,
  failed: 'Failed',
  running: 'Running',
  interrupted: 'Interrupted',
  waiting: 'Not reached yet',
  skipped: 'Not run',
};

/** @param active whether the run is still under way */
export function cellMarkup(cell: NotebookCell, active: boolean, writer: CellWriter): Markup {
  const phase = phaseOf(cell, active);
  return html`<section class="cell ${phase} ${cell.language}" id="cell-${cell.position}">
${heading(cell, phase)}${contents(cell, writer)}${cell.outputs.map((output) => outputMarkup(output, cell.position))}</section>
`;
}

function contents({ language, source }: NotebookCell, writer: CellWriter): Markup | undefined {
  if (source === '') return undefined;
  if (language === 'markdown') return html`<div class="prose">${writer.markdown(source)}</div>
`;
  return html`<pre class="code" tabindex="0"><code>${writer.code(source)}</code></pre>
`;
}

/** Number, title, and how far the cell came. Markdown that has none of the latter two stands for itself. */
function heading({ position, language, title, startTime, finishTime }: NotebookCell, phase: CellPhase): Markup | undefined {
  const label = language === 'markdown' ? undefined : labels[phase];
  if (language === 'markdown' && title === undefined) return undefined;
  const took = startTime === undefined || finishTime === undefined || language === 'markdown' ? undefined : duration(finishTime - startTime);
  return html`<header><a class="number" href="#cell-${position}">${position}</a>${title === undefined ? undefined : html`<h2>${title}</h2>`}
${label === undefined ? undefined : html`<span class="label">${label}</span>`}${took === undefined ? undefined : html`<span class="took">${took}</span>`}</header>
`;
}
