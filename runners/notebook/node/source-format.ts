/** Parses a SQL or JavaScript notebook in source format into cells. */
import type { ScriptLanguage, SourceCell } from './driver-protocol.ts';

const commentMarkers = { sql: '--', javascript: '//' } as const satisfies Record<ScriptLanguage, string>;

/** Magic word -> language of the cell; other words are kept. */
const magicLanguages: ReadonlyMap<string, string> = new Map([
  ['md', 'markdown'],
  ['md-sandbox', 'markdown'],
  ['sql', 'sql'],
  ['js', 'javascript'],
  ['javascript', 'javascript'],
  ['sh', 'shell'],
]);

interface FormatPatterns {
  readonly commentMarker: string;
  readonly header: RegExp;
  readonly separator: RegExp;
  readonly title: RegExp;
  readonly magic: RegExp;
}

function patternsOf(language: ScriptLanguage): FormatPatterns {
  const commentMarker = commentMarkers[language];
  return {
    commentMarker,
    header: new RegExp(`^${commentMarker}\\s*Databricks notebook source\\s*$`),
    separator: new RegExp(`^${commentMarker} COMMAND -{5,}\\s*$`),
    title: new RegExp(`^${commentMarker} DBTITLE \\d+,\\s*(.*)$`),
    magic: new RegExp(`^${commentMarker} MAGIC ?(.*)$`),
  };
}

/** Returns the cells of a notebook. The header line is optional: a plain file is one cell. */
export function parseCells(text: string, language: ScriptLanguage): SourceCell[] {
  const patterns = patternsOf(language);
  const lines = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .split('\n');
  if (patterns.header.test(lines[0] ?? '')) lines.shift();
  const blocks: string[][] = [[]];
  for (const line of lines) {
    if (patterns.separator.test(line)) blocks.push([]);
    else blocks.at(-1)?.push(line);
  }
  return blocks
    .map(trimBlankLines)
    .filter((block) => block.length > 0)
    .map((block, index) => parseCell(index + 1, block, language, patterns));
}

function parseCell(
  position: number,
  block: readonly string[],
  own: ScriptLanguage,
  patterns: FormatPatterns,
): SourceCell {
  const title = patterns.title.exec(block[0] ?? '')?.[1]?.trim();
  const lines = title === undefined ? block : trimBlankLines(block.slice(1));
  const word = findMagicWord(lines, patterns);
  const language = word === undefined ? own : (magicLanguages.get(word) ?? word);
  const plain = word === undefined ? lines : lines.map((line) => patterns.magic.exec(line)?.[1] ?? line);
  const known = language === own || language === 'markdown';
  // Cells of other languages keep their magic word.
  const shown =
    known && word !== undefined ? [plain[0]?.replace(/^\s*%[\w-]+ ?/, '') ?? '', ...plain.slice(1)] : plain;
  return { position, language, title, source: trimBlankLines(shown).join('\n') };
}

/**
 * Returns the first magic word on any line of a cell, so that no magic line is ignored silently. Exception:
 * with code around it, Markdown lines are comments. Neither language has statements that begin with %.
 */
function findMagicWord(
  lines: readonly string[],
  { commentMarker, magic }: FormatPatterns,
): string | undefined {
  const [word] = lines.flatMap((line, index) => {
    const text = magic.exec(line)?.[1] ?? (index === 0 ? line : '');
    return /^\s*%([\w-]+)/.exec(text)?.[1]?.toLowerCase() ?? [];
  });
  if (word === undefined || magicLanguages.get(word) !== 'markdown' || lines[0]?.startsWith('%') === true)
    return word;
  return lines.every((line) => line.startsWith(commentMarker) || line.trim() === '') ? word : undefined;
}

function trimBlankLines(lines: readonly string[]): string[] {
  const start = lines.findIndex((line) => line.trim() !== '');
  return start === -1 ? [] : lines.slice(start, lines.findLastIndex((line) => line.trim() !== '') + 1);
}
