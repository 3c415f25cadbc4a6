/** Renders the outputs of a cell. HTML of the user is in a sandboxed frame that runs and loads nothing. */
import type { CellOutput } from '../task-output.ts';
import { html, type Markup } from './markup.ts';
import { tableMarkup } from './tables.ts';
import { renderTerminalText } from './terminal-text.ts';

/** Renders an output. @param cell position of its cell, for screen readers */
export function outputMarkup(output: CellOutput, cell: number): Markup {
  switch (output.type) {
    case 'error':
      return errorMarkup(output.summary, output.trace);
    case 'html':
      return frameMarkup(output.data, cell);
    case 'table':
      return tableMarkup(output, cell);
    case 'image':
      return imageMarkup(output, cell);
    case 'stdout':
    case 'stderr':
    case 'text':
      return html`<pre class="output ${output.type}" tabindex="0" aria-label="${labels[output.type]} of cell ${cell}">${renderTerminalText(output.data)}</pre>
`;
    default:
      return output satisfies never;
  }
}

const labels = { stdout: 'Printed output', stderr: 'Printed errors', text: 'Value' } as const;

/** Renders a picture inline. In an image element, also SVG runs no script and loads nothing. */
function imageMarkup({ mime, data }: Extract<CellOutput, { type: 'image' }>, cell: number): Markup {
  return html`<div class="output image"><img src="data:${mime};base64,${data.replaceAll(/[^A-Za-z0-9+/=]/g, '')}" alt="Picture shown by cell ${cell}"></div>
`;
}

/** Renders a failure: its summary, and its trace if it differs. */
export function errorMarkup(summary: string, trace: string): Markup {
  const more =
    trace.trim() === '' || trace.trim() === summary.trim()
      ? undefined
      : html`<pre tabindex="0" aria-label="Trace">${renderTerminalText(trace)}</pre>`;
  return html`<div class="output error"><strong>${renderTerminalText(summary)}</strong>${more}</div>
`;
}

/** Always light, because the HTML of users assumes a white background. */
const frameStyle =
  'body{margin:8px;font:14px/1.5 system-ui,sans-serif;color:#1f2328;background:#fff}' +
  'table{border-collapse:collapse}th,td{border:1px solid #d8dee4;padding:4px 10px;text-align:left}th{background:#f6f8fa}img,svg{max-width:100%}';

function frameMarkup(content: string, cell: number): Markup {
  const page = `<!doctype html><meta charset="utf-8"><style>${frameStyle}</style>${content}`;
  const scripted = /<script\b/i.test(content)
    ? html`<p class="hint">This output contains scripts. They do not run here.</p>`
    : undefined;
  // An empty `sandbox` forbids everything, and the frame inherits the policy of the page.
  return html`<iframe class="output" sandbox="" title="HTML output of cell ${cell}" height="${frameHeight(content)}" srcdoc="${page}"></iframe>${scripted}
`;
}

/** Estimates the height of HTML in pixels; without scripts, a frame does not adapt to its content. */
export function frameHeight(content: string): number {
  const start = content.slice(0, 100_000);
  const count = (tags: RegExp): number => start.match(tags)?.length ?? 0;
  const rows = count(/<tr\b/gi);
  // Elements in table cells do not add to the height.
  const lines = rows === 0 ? count(/<(br|p|li|h[1-6]|div|pre|hr)\b/gi) : rows + count(/<(p|h[1-6])\b/gi);
  const text = start.replaceAll(/<[^<>]*>/g, '').length;
  const pictures = (start.match(/<(img|svg|canvas|video)\b[^>]*/gi) ?? []).map((tag) =>
    Number(/\bheight\s*[=:]\s*["']?(\d+)/i.exec(tag)?.[1] ?? 380),
  );
  const height =
    36 + Math.max(lines * 30, (text / 110) * 22) + pictures.reduce((sum, picture) => sum + picture, 0);
  return Math.round(Math.min(Math.max(height, 60), 600));
}
