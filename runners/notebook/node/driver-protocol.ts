/** What the process of a SQL or JavaScript notebook is told, and what its parts say to one another. */
import type { TaskValues } from '../../../engine/run/dynamic-values.ts';
import type { CellOutput } from '../../../engine/run/task-output.ts';

export type ScriptLanguage = 'sql' | 'javascript';

/** `notebook-task.json` of an attempt. */
export interface NotebookDriverInput {
  readonly language: ScriptLanguage;
  /** The snapshot that is run. */
  readonly notebook: string;
  /** Name of the notebook in the workspace. */
  readonly path: string;
  /** Where the engine is asked for runs of other notebooks. */
  readonly questions: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly values: TaskValuesInput;
  /** The file to write. */
  readonly report: string;
  /** A directory for what does not fit into memory. */
  readonly temporary: string;
  /** Most bytes of output of one cell. */
  readonly cellBytes: number;
}

export interface TaskValuesInput {
  /** Keeps what this task sets: name -> JSON text. */
  readonly file: string;
  /** What the tasks before it have set, by task key. */
  readonly before: Readonly<Record<string, TaskValues>>;
  readonly valueBytes: number;
  readonly allBytes: number;
}

/** One cell of a notebook in source format. */
export interface SourceCell {
  /** Counted from 1, over all cells that are not empty. */
  readonly position: number;
  /** A word that no runner knows stands as it is written. */
  readonly language: string;
  readonly title: string | undefined;
  /** Without its markers; of Markdown, the text after `%md`. */
  readonly source: string;
}

/** Runs the cells of one language, in one state that they share. */
export interface NotebookSession {
  /** @throws CellError with what its reader should know */
  run(cell: SourceCell): Promise<void>;
  /** How a value that was thrown is told. */
  toCellError(error: unknown): CellError;
  /** What the notebook gave to its exit call: it ends there. */
  exitValue(): string | undefined;
  close(): void;
}

/** How sessions show things. */
export interface CellOutputWriter {
  /** Adds to a stream; what follows one another in the same stream becomes one output. */
  write(stream: 'stdout' | 'stderr', text: string): void;
  add(output: CellOutput): void;
}

/** How a cell failed: one line, and all that is known. */
export class CellError extends Error {
  readonly summary: string;
  readonly trace: string;

  constructor(summary: string, trace = summary) {
    super(summary);
    this.summary = summary;
    this.trace = trace;
  }
}
