/** Parses a SQL or JavaScript notebook in source format into cells. */
import { sourcePatterns, splitCells } from '../../../engine/run/notebook-source/source-format.ts';
import { trimBlankLines } from '../../../engine/run/notebook-source/source-notebook.ts';
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

interface FormatPatterns extends ReturnType<typeof sourcePatterns> {
  readonly commentMarker: string;
}

/** Returns the cells of a notebook. The header line is optional: a plain file is one cell. */
export function parseCells(text: string, language: ScriptLanguage): SourceCell[] {
  const commentMarker = commentMarkers[language];
  const patterns = { ...sourcePatterns(commentMarker), commentMarker };
  return splitCells(text, patterns).map((block, index) => parseCell(index + 1, block, language, patterns));
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
