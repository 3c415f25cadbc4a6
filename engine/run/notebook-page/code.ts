/** Source code and Markdown as HTML, by libraries that escape what they are given. */
import highlighter from 'highlight.js/lib/core';
import python from 'highlight.js/lib/languages/python';
import MarkdownIt from 'markdown-it';
import { html, printable, trusted, type Markup } from './markup.ts';

highlighter.registerLanguage('python', python);

/** Characters of a page that are coloured or laid out, about a millisecond for every thousand; the rest is shown as it is. */
const pageCharacters = 300_000;

// `html: false`: HTML in Markdown is text. Links that run scripts are refused by the library's own check.
const markdownRenderer = new MarkdownIt('default', {
  html: false,
  highlight: (code, language) => (['python', 'py'].includes(language) ? colouredPython(code) : ''),
});

/** Writes the cells of one page. */
export interface CellWriter {
  /** Python in colours. */
  code(source: string): Markup;
  /** Markdown as it is meant to be read. */
  markdown(source: string): Markup;
}

export function createCellWriter(): CellWriter {
  let left = pageCharacters;
  const afford = (source: string): boolean => {
    if (source.length > left) return false;
    left -= source.length;
    return true;
  };
  return {
    code: (source) => (afford(source) ? trusted(colouredPython(printable(source))) : html`${source}`),
    markdown: (source) => (afford(source) ? trusted(withoutApostrophes(markdownRenderer.render(printable(source)))) : html`<pre>${source}</pre>`),
  };
}

function colouredPython(source: string): string {
  return highlighter.highlight(source, { language: 'python' }).value;
}

/** The library leaves them as they are; nothing on the page may read like the line that carries the model. */
function withoutApostrophes(markup: string): string {
  return markup.replaceAll("'", '&#39;');
}
