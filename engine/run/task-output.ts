/** Output of a task besides its logs (spec 2.10, 4.1 rule 10, section 8). */

/** `output.json` of an attempt, which its runner writes atomically when the task ends. */
export interface TaskOutput {
  /** Value of the notebook's exit call; absent without a call. */
  readonly result?: string;
  /** True when `result` was truncated to the limit. */
  readonly truncated?: boolean;
  /** Reason of the failure in one line. */
  readonly error?: string;
  /** Full trace of `error`. */
  readonly errorTrace?: string;
}

export type CellLanguage =
  | 'python'
  | 'markdown'
  | 'sql'
  | 'shell'
  | 'pip'
  | 'run'
  | 'javascript'
  | 'scala'
  | 'r';

/** Output of a notebook cell. */
export type CellOutput =
  | { readonly type: 'stdout' | 'stderr' | 'text' | 'html'; readonly data: string }
  /** Result set or data frame; `rowsTotal` is set when rows were left out. */
  | {
      readonly type: 'table';
      readonly columns: readonly { readonly name: string; readonly type: string }[];
      readonly rows: readonly (readonly CellValue[])[];
      readonly rowsTotal?: number;
    }
  /** Picture in base64, also for SVG. */
  | {
      readonly type: 'image';
      readonly mime: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/svg+xml';
      readonly data: string;
    }
  | { readonly type: 'error'; readonly summary: string; readonly trace: string };

export type CellValue = string | number | boolean | null;

/** Cell of an executed notebook. */
export interface NotebookCell {
  readonly position: number;
  readonly language: CellLanguage;
  readonly title?: string;
  readonly source: string;
  /** `skipped`: not executed, because the notebook failed or exited before it. */
  readonly status: 'finished' | 'failed' | 'skipped';
  /** Epoch ms; absent for a cell that did not start. */
  readonly startTime?: number;
  readonly finishTime?: number;
  readonly outputs: readonly CellOutput[];
}

/** `notebook.json` of an attempt: all cells with their outputs. The driver rewrites it after each cell. */
export interface NotebookReport {
  readonly path: string;
  /** Language of cells that name no other; Python when absent. */
  readonly language?: 'python' | 'sql' | 'javascript' | 'scala' | 'r';
  /** Parameters that the notebook received. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly cells: readonly NotebookCell[];
  /** Value of the exit call. */
  readonly exitValue?: string;
  readonly error?: { readonly summary: string; readonly trace: string; readonly cell: number };
}

/** Truncates a text to at most `bytes` bytes of UTF-8 without splitting a character. */
export function truncateUtf8(text: string, bytes: number): { readonly text: string; readonly cut: boolean } {
  const encoded = Buffer.from(text, 'utf8');
  if (encoded.length <= bytes) return { text, cut: false };
  let end = bytes;
  // Step back over continuation bytes (10xxxxxx) to the start of a character.
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return { text: encoded.toString('utf8', 0, end), cut: true };
}
