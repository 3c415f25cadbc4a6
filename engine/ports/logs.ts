/** What is asked of the logs of attempts: types only; storage/ implements it. */
import type { LogStream } from '../log-file.ts';
import type { Mask } from '../run/masking.ts';

/** Which log: that of a task run, and which of its two streams. */
export interface LogRef {
  readonly runId: number;
  readonly stream: LogStream;
}

/** How a log is looked at. */
export interface LogReadOptions {
  /** What is not to be shown. */
  readonly mask: Mask;
  /**
   * Whether the attempt is over: then what stands at the end is all that comes, else the rest of a character
   * or secret may follow.
   */
  readonly isComplete: boolean;
}

/** A part of a log as text. Offsets are bytes of the file that the task writes. */
export interface LogPage {
  readonly offset: number;
  /** Where the next page begins. */
  readonly nextOffset: number;
  /** How long the log is, with what was left out of it. */
  readonly size: number;
  /** Valid text without secrets; a line says what was left out. */
  readonly text: string;
}

/**
 * The logs of attempts, as their tasks write them. One that is not there, or is no file any more, is empty.
 */
export interface LogReader {
  /** At most `limit` bytes from `offset` on, at least one character if there is one. */
  readPage(log: LogRef, offset: number, limit: number, view: LogReadOptions): Promise<LogPage>;
  /** The last `lines` lines, of at most `limit` bytes. */
  readTail(log: LogRef, lines: number, limit: number, view: LogReadOptions): Promise<LogPage>;
  /** How long it is, with what was left out; undefined when it is not there. */
  getSize(log: LogRef): Promise<number | undefined>;
  /**
   * Calls `onChange` when something in the directory of an attempt changes, at least once for many changes;
   * the returned function ends that. Undefined when it cannot be watched, because it is not there yet or the
   * machine has no more watchers.
   */
  watch(runId: number, onChange: () => void): (() => void) | undefined;
}
