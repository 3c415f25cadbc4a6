/**
 * Notebook that is not executed: its language and cells, as stored in source format or as a Jupyter document.
 */
import type { NotebookLanguage } from '../../job/notebook-formats.ts';
import type { CellLanguage, NotebookCell } from '../task-output.ts';

export interface SourceCell {
  readonly language: CellLanguage;
  readonly title?: string;
  /**
   * Code of a cell in the language of the notebook, and Markdown, without a magic word; other cells start
   * with theirs (`%sql`).
   */
  readonly source: string;
}

export interface SourceNotebook {
  readonly language: NotebookLanguage;
  readonly cells: readonly SourceCell[];
}

/** Language of a notebook -> language of its cells, and marker of comments. */
export const notebookDialects = {
  PYTHON: { language: 'python', marker: '#' },
  SQL: { language: 'sql', marker: '--' },
  JAVASCRIPT: { language: 'javascript', marker: '//' },
  SCALA: { language: 'scala', marker: '//' },
  R: { language: 'r', marker: '#' },
} as const satisfies Record<NotebookLanguage, { readonly language: CellLanguage; readonly marker: string }>;

/** Language of a notebook -> extension of its source file, without the dot. */
export const sourceExtensions = {
  PYTHON: 'py',
  SQL: 'sql',
  JAVASCRIPT: 'js',
  SCALA: 'scala',
  R: 'r',
} as const satisfies Record<NotebookLanguage, string>;

/** Magic word in lower case -> language of the cell. */
const magicLanguages: ReadonlyMap<string, CellLanguage> = new Map([
  ['md', 'markdown'],
  ['md-sandbox', 'markdown'],
  ['markdown', 'markdown'],
  ['python', 'python'],
  ['sql', 'sql'],
  ['scala', 'scala'],
  ['r', 'r'],
  ['js', 'javascript'],
  ['javascript', 'javascript'],
  ['sh', 'shell'],
  ['bash', 'shell'],
  ['pip', 'pip'],
  ['run', 'run'],
] as const);

const magicWord = /^\s*%{1,2}([A-Za-z][\w-]*)[ \t]*(?:\n|$)?/;

/** Returns the cell of a text whose magic word, if it has one, says the language. */
export function parseCellText(text: string, own: CellLanguage, title: string | undefined): SourceCell {
  const [prefix = '', word = ''] = magicWord.exec(text) ?? [];
  const named = magicLanguages.get(word.toLowerCase());
  // With code below it, %pip is a line of that code.
  const isLine = named === 'pip' && !text.split('\n').every((line) => /^\s*(?:%{1,2}pip\b|$)/.test(line));
  const language = named === undefined || isLine ? own : named;
  const isBare = named !== undefined && (language === own || language === 'markdown') && !isLine;
  const source = isBare ? trimBlankLines(text.slice(prefix.length).split('\n')).join('\n') : text;
  return { language, source, ...(title !== undefined && title !== '' && { title }) };
}

/** Returns the lines without blank ones at the start and the end. */
export function trimBlankLines(lines: readonly string[]): string[] {
  const start = lines.findIndex((line) => line.trim() !== '');
  return start === -1 ? [] : lines.slice(start, lines.findLastIndex((line) => line.trim() !== '') + 1);
}

/** Returns the cells for a page: without outputs and times. */
export function toPageCells({ cells }: SourceNotebook): NotebookCell[] {
  return cells.map((cell, index) => ({ ...cell, position: index + 1, status: 'finished', outputs: [] }));
}
