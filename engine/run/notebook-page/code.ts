/** Source code and Markdown as HTML, by libraries that escape what they are given. */
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

/** Language of a cell -> how its code is coloured; absent: not at all. */
const highlightGrammars: Readonly<Partial<Record<CellLanguage, string>>> = {
  python: 'python',
  sql: 'sql',
  shell: 'bash',
  pip: 'bash',
  javascript: 'javascript',
};

/**
 * Characters of a page that are coloured or laid out, about a millisecond for every thousand; the rest is
 * shown as it is.
 */
const maxHighlightedCharacters = 300_000;

// `html: false`: HTML in Markdown is text. Links that run scripts are refused by the library's own check.
const markdownRenderer = new MarkdownIt('default', {
  html: false,
  highlight: (code, language) =>
    highlighter.getLanguage(language) === undefined ? '' : highlightCode(code, language),
});

/** Writes the cells of one page. */
export interface CellWriter {
  /** Code in colours. */
  code(source: string, language: CellLanguage): Markup;
  /** Markdown as it is meant to be read. */
  markdown(source: string): Markup;
}

export function createCellWriter(): CellWriter {
  let left = maxHighlightedCharacters;
  const afford = (source: string): boolean => {
    if (source.length > left) return false;
    left -= source.length;
    return true;
  };
  return {
    code(source, language) {
      const grammar = highlightGrammars[language];
      return grammar !== undefined && afford(source)
        ? trustedMarkup(highlightCode(replaceControlCharacters(source), grammar))
        : html`${source}`;
    },
    markdown: (source) =>
      afford(source)
        ? trustedMarkup(escapeApostrophes(markdownRenderer.render(replaceControlCharacters(source))))
        : html`<pre>${source}</pre>`,
  };
}

function highlightCode(source: string, grammar: string): string {
  return highlighter.highlight(source, { language: grammar, ignoreIllegals: true }).value;
}

/** The library leaves them as they are; nothing on the page may read like the line that carries the model. */
function escapeApostrophes(markup: string): string {
  return markup.replaceAll("'", '&#39;');
}
