/** Input of the process of a SQL or JavaScript notebook, and interfaces between its parts. */
import type { TaskValues } from '../../../engine/run/dynamic-values.ts';
import type { CellOutput } from '../../../engine/run/task-output.ts';

export type ScriptLanguage = 'sql' | 'javascript';

/** `notebook-task.json` of an attempt. */
export interface NotebookDriverInput {
  readonly language: ScriptLanguage;
  /** File of the snapshot. */
  readonly notebook: string;
  /** Path of the notebook in the workspace. */
  readonly path: string;
  /** Directory for requests to the engine. */
  readonly questions: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly values: TaskValuesInput;
  /** File of the report. */
  readonly report: string;
  /** Directory for data that does not fit into memory. */
  readonly temporary: string;
  /** Maximum output of one cell. */
  readonly cellBytes: number;
}

export interface TaskValuesInput {
  /** File of the values of this task: name -> JSON text. */
  readonly file: string;
  /** Values of upstream tasks, by task key. */
  readonly before: Readonly<Record<string, TaskValues>>;
  readonly valueBytes: number;
  readonly allBytes: number;
}

/** One cell of a notebook in source format. */
export interface SourceCell {
  /** Counted from 1 over all cells that are not empty. */
  readonly position: number;
  /** An unknown magic word is kept as written. */
  readonly language: string;
  readonly title: string | undefined;
  /** Text without markers; for Markdown, the text after `%md`. */
  readonly source: string;
}

/** Runs cells of one language with shared state. */
export interface NotebookSession {
  /** @throws CellError when the cell fails */
  run(cell: SourceCell): Promise<void>;
  /** Converts a thrown value to an error of the cell. */
  toCellError(error: unknown): CellError;
  /** Argument of the exit call, which ends the notebook. */
  exitValue(): string | undefined;
  close(): void;
}

/** Receives the output of the running cell. */
export interface CellOutputWriter {
  /** Appends to a stream; consecutive texts of one stream become one output. */
  write(stream: 'stdout' | 'stderr', text: string): void;
  add(output: CellOutput): void;
}

/** Error of a cell: a summary line, and the trace. */
export class CellError extends Error {
  readonly summary: string;
  readonly trace: string;

  constructor(summary: string, trace = summary) {
    super(summary);
    this.summary = summary;
    this.trace = trace;
  }
}
