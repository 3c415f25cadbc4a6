/** Renders the header of the page: notebook, state of its run, and parameters. */
import { durationsOf, type Progress } from '../run.ts';
import type { LifeCycleState, ResultState } from '../states.ts';
import { formatDuration, formatInstant } from './time-format.ts';
import { isActive, notebookNameOf, type ExportedNotebook } from './exported-notebook.ts';
import { html, type Markup } from './markup.ts';
import { errorMarkup } from './outputs.ts';

type Tone = 'good' | 'bad' | 'busy' | 'quiet';

/** Result, or state without a result -> label and tone. */
const stateLabels: Readonly<
  Record<ResultState | Exclude<LifeCycleState, 'TERMINATED'>, readonly [string, Tone]>
> = {
  SUCCESS: ['Succeeded', 'good'],
  FAILED: ['Failed', 'bad'],
  TIMEDOUT: ['Timed out', 'bad'],
  CANCELED: ['Cancelled', 'quiet'],
  QUEUED: ['Queued', 'quiet'],
  PENDING: ['Pending', 'quiet'],
  RUNNING: ['Running', 'busy'],
  TERMINATING: ['Ending', 'busy'],
  SKIPPED: ['Skipped', 'quiet'],
  INTERNAL_ERROR: ['Internal error', 'bad'],
};

export function pageHeaderMarkup(notebook: ExportedNotebook): Markup {
  if (notebook.runId === undefined)
    return html`<header class="head">
<h1>${notebookNameOf(notebook)}</h1>
<p class="path">${notebook.path}</p>
</header>
`;
  const [label, tone] = stateLabelOf(notebook.progress);
  return html`<header class="head">
<h1>${notebookNameOf(notebook)} <span class="state ${tone}">${label}</span></h1>
<p class="path">${notebook.path}</p>
<dl class="facts">${factsOf(notebook).map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>
${parametersMarkup(notebook.parameters)}${endMarkup(notebook)}</header>
`;
}

function stateLabelOf({ state, result }: Progress): readonly [string, Tone] {
  return stateLabels[
    state === 'TERMINATED' || state === 'INTERNAL_ERROR' ? (result ?? 'INTERNAL_ERROR') : state
  ];
}

function factsOf({ runId, jobName, taskKey, progress }: ExportedNotebook): [string, string][] {
  const { execution } = durationsOf(progress);
  const { startTime } = progress;
  return [
    ['Run', String(runId)],
    ['Job', jobName],
    ['Task', taskKey],
    ...(startTime === undefined ? [] : [['Started', formatInstant(startTime)] satisfies [string, string]]),
    ...(execution === 0 ? [] : [['Ran for', formatDuration(execution)] satisfies [string, string]]),
  ];
}

function parametersMarkup(parameters: Readonly<Record<string, string>>): Markup | undefined {
  const entries = Object.entries(parameters);
  if (entries.length === 0) return undefined;
  return html`<table class="parameters"><caption>Parameters</caption>${entries.map(
    ([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`,
  )}</table>
`;
}

/**
 * Renders the failure, with a link to its cell, or a hint that the run is active; undefined after a success.
 */
function endMarkup(notebook: ExportedNotebook): Markup | undefined {
  const { report, failure, progress } = notebook;
  const error = report?.error;
  if (error !== undefined && error.cell > 0) {
    return html`<p class="banner bad"><a href="#cell-${error.cell}">Cell ${error.cell}</a> failed: ${error.summary}</p>
`;
  }
  if (error !== undefined) return errorMarkup(error.summary, error.trace);
  if (isActive(notebook))
    return html`<p class="banner busy">This run is active: the page shows its state at the time of the export.</p>
`;
  if (failure === '') return undefined;
  return html`<p class="banner ${progress.result === 'CANCELED' ? 'quiet' : 'bad'}">${failure}</p>
`;
}
