/** Renders source code and Markdown as HTML, with libraries that escape their input. */
import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import javascript from 'highlight.js/lib/languages/javascript';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import MarkdownIt from 'markdown-it';
import type { CellLanguage } from '../task-output.ts';
import { html, replaceControlCharacters, trustedMarkup, type Markup } from './markup.ts';

for (const [name, grammar] of Object.entries({ bash, javascript, python, sql }))
  highlighter.registerLanguage(name, grammar);

/** Language of a cell -> grammar for highlighting. */
const highlightGrammars: Readonly<Partial<Record<CellLanguage, string>>> = {
  python: 'python',
  sql: 'sql',
  shell: 'bash',
  pip: 'bash',
  javascript: 'javascript',
};

/** Maximum number of highlighted or laid out characters of a page; a thousand take about a millisecond. */
const maxHighlightedCharacters = 300_000;

// `html: false`: HTML in Markdown is text. The library rejects links that run scripts.
const markdownRenderer = new MarkdownIt('default', {
  html: false,
  highlight: (code, language) =>
    highlighter.getLanguage(language) === undefined ? '' : highlightCode(code, language),
});

/** Renders the code and Markdown of one page. */
export interface CellWriter {
  /** Renders highlighted code. */
  code(source: string, language: CellLanguage): Markup;
  /** Renders Markdown. */
  markdown(source: string): Markup;
}

export function createCellWriter(): CellWriter {
  let remaining = maxHighlightedCharacters;
  const reserve = (source: string): boolean => {
    if (source.length > remaining) return false;
    remaining -= source.length;
    return true;
  };
  return {
    code(source, language) {
      const grammar = highlightGrammars[language];
      return grammar !== undefined && reserve(source)
        ? trustedMarkup(highlightCode(replaceControlCharacters(source), grammar))
        : html`${source}`;
    },
    markdown: (source) =>
      reserve(source)
        ? trustedMarkup(escapeApostrophes(markdownRenderer.render(replaceControlCharacters(source))))
        : html`<pre>${source}</pre>`,
  };
}

function highlightCode(source: string, grammar: string): string {
  return highlighter.highlight(source, { language: grammar, ignoreIllegals: true }).value;
}

/** Escapes apostrophes, so that no text of the page can look like the line of the model. */
function escapeApostrophes(markup: string): string {
  return markup.replaceAll("'", '&#39;');
}
