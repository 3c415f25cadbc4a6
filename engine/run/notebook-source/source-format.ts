/** The source format of notebooks: one file with cells that comments separate. */
import type { NotebookLanguage } from '../../job/notebook-formats.ts';
import {
  notebookDialects,
  parseCellText,
  trimBlankLines,
  type SourceCell,
  type SourceNotebook,
} from './source-notebook.ts';

interface SourcePatterns {
  readonly header: RegExp;
  readonly separator: RegExp;
  readonly title: RegExp;
  readonly magic: RegExp;
  /** A line magic or a shell command within code. */
  readonly lineMagic: RegExp;
}

const headerText = 'Databricks notebook source';

/** Returns the patterns of the lines that structure a notebook. @param marker marker of comments */
export function sourcePatterns(marker: string): SourcePatterns {
  return {
    header: new RegExp(`^${marker}\\s*${headerText}\\s*$`),
    separator: new RegExp(`^${marker} COMMAND -{5,}\\s*$`),
    title: new RegExp(`^${marker} DBTITLE \\d+,\\s*(.*)$`),
    magic: new RegExp(`^${marker} MAGIC ?(.*)$`),
    lineMagic: new RegExp(`^${marker} MAGIC\\s+([%!](?!\\s*md\\b).*)$`),
  };
}

/** Splits a notebook into the lines of its cells, without blank ones around them. The header is optional. */
export function splitCells(
  text: string,
  { header, separator }: Pick<SourcePatterns, 'header' | 'separator'>,
): string[][] {
  const lines = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .split('\n');
  if (header.test(lines[0] ?? '')) lines.shift();
  const blocks: string[][] = [[]];
  for (const line of lines) {
    if (separator.test(line)) blocks.push([]);
    else blocks.at(-1)?.push(line);
  }
  return blocks.map(trimBlankLines).filter((block) => block.length > 0);
}

/** Parses a notebook in source format. A plain file is one cell. */
export function parseSource(text: string, language: NotebookLanguage): SourceNotebook {
  const dialect = notebookDialects[language];
  const patterns = sourcePatterns(dialect.marker);
  const cells = splitCells(text, patterns).map((block): SourceCell => {
    const title = patterns.title.exec(block[0] ?? '')?.[1]?.trim();
    const lines = title === undefined ? block : trimBlankLines(block.slice(1));
    return parseCellText(plainText(lines, dialect.marker, patterns), dialect.language, title);
  });
  return { language, cells };
}

/** Returns the text of a cell without the markers of magic lines. */
function plainText(lines: readonly string[], marker: string, { magic, lineMagic }: SourcePatterns): string {
  if (magic.test(lines[0] ?? '')) {
    const text = trimBlankLines(lines.map((line) => magic.exec(line)?.[1] ?? line)).join('\n');
    // With code below it, a line of Markdown is a comment.
    const isComment =
      /^\s*%md/i.test(text) && !lines.every((line) => line.startsWith(marker) || line.trim() === '');
    if (!isComment) return text;
  }
  return lines.map((line) => line.replace(lineMagic, '$1')).join('\n');
}

/** Renders a notebook in source format, with its header. */
export function renderSource({ language, cells }: SourceNotebook): string {
  const dialect = notebookDialects[language];
  const blocks = cells.map((cell) =>
    [
      ...(cell.title === undefined
        ? []
        : [`${dialect.marker} DBTITLE 1,${cell.title.replaceAll(/\s+/g, ' ')}`]),
      ...renderCell(cell, dialect),
    ].join('\n'),
  );
  const separator = `\n\n${dialect.marker} COMMAND ----------\n\n`;
  return `${dialect.marker} ${headerText}\n${blocks.join(separator)}\n`;
}

function renderCell(
  { language, source }: SourceCell,
  { language: own, marker }: (typeof notebookDialects)[NotebookLanguage],
): string[] {
  const lines = source.split('\n');
  const toMagic = (line: string): string => `${marker} MAGIC ${line}`.trimEnd();
  if (language === 'markdown') return ['%md', ...lines].map(toMagic);
  if (language !== own) return lines.map(toMagic);
  return lines.map((line) => (/^[%!]/.test(line) ? toMagic(line) : line));
}
