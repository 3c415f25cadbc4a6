/** Renders Markdown that is safe both for hosted repositories and for the documentation site. */

/** Returns a Markdown table, one line per element. Cells are expected to be escaped where necessary. */
export function renderTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(headings), `|${headings.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/**
 * Escapes plain text for a table cell: the site reads `<` as the start of an element and `{{` as an
 * interpolation, except in code spans.
 */
export function escapeCell(text: string): string {
  return text
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.startsWith('`') ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;'),
    )
    .join('');
}

/** Returns the text as a code span. */
export function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

/** Returns the text with an upper-case first letter. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
