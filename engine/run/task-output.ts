/**
 * What a task leaves behind besides its logs, and how much of it is shown (spec 2.10, 4.1 rule 10, section
 * 8).
 */

/** `output.json` of an attempt: written by its runner, atomically, when the task is over. */
export interface TaskOutput {
  /** Value given to the notebook's exit call; absent when it was never called. */
  readonly result?: string;
  /** True when `result` was cut to the limit. */
  readonly truncated?: boolean;
  /** One line that says why the task failed. */
  readonly error?: string;
  /** The full trace behind `error`. */
  readonly errorTrace?: string;
}

export type CellLanguage = 'python' | 'markdown' | 'sql' | 'shell' | 'pip' | 'run' | 'javascript';

/** One output of a notebook cell, in the order in which it appeared. */
export type CellOutput =
  | { readonly type: 'stdout' | 'stderr' | 'text' | 'html'; readonly data: string }
  /**
   * A result set or data frame. Values are texts, numbers, booleans or null; `rowsTotal` when rows were left
   * out.
   */
  | {
      readonly type: 'table';
      readonly columns: readonly { readonly name: string; readonly type: string }[];
      readonly rows: readonly (readonly CellValue[])[];
      readonly rowsTotal?: number;
    }
  /** Base64 of a picture; SVG is base64 too. */
  | {
      readonly type: 'image';
      readonly mime: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/svg+xml';
      readonly data: string;
    }
  | { readonly type: 'error'; readonly summary: string; readonly trace: string };

export type CellValue = string | number | boolean | null;

/** One cell of an executed notebook. */
export interface NotebookCell {
  readonly position: number;
  readonly language: CellLanguage;
  readonly title?: string;
  readonly source: string;
  /** `skipped`: never reached, because the notebook failed or exited before it. */
  readonly status: 'finished' | 'failed' | 'skipped';
  /** Epoch ms; absent for a cell that was never started. */
  readonly startTime?: number;
  readonly finishTime?: number;
  readonly outputs: readonly CellOutput[];
}

/** `notebook.json` of an attempt: every cell with what it showed. Rewritten after each cell. */
export interface NotebookReport {
  readonly path: string;
  /** What cells are written in that name no other language; Python when absent. */
  readonly language?: 'python' | 'sql' | 'javascript';
  /** Those that reached the notebook. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly cells: readonly NotebookCell[];
  /** Set when the notebook called exit. */
  readonly exitValue?: string;
  readonly error?: { readonly summary: string; readonly trace: string; readonly cell: number };
}

/** Cuts a text to at most `bytes` bytes of UTF-8 without splitting a character. */
export function truncateUtf8(text: string, bytes: number): { readonly text: string; readonly cut: boolean } {
  const encoded = Buffer.from(text, 'utf8');
  if (encoded.length <= bytes) return { text, cut: false };
  let end = bytes;
  // Step back over continuation bytes (10xxxxxx), so that the cut falls between characters.
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return { text: encoded.toString('utf8', 0, end), cut: true };
}
