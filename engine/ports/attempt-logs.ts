/** Logs of attempts, as clients read them. Types only; storage/ implements them. */
import type { LogStream } from '../log-file.ts';
import type { Mask } from '../run/masking.ts';

/** Identifies one stream of the log of a task run. */
export interface LogRef {
  readonly runId: number;
  readonly stream: LogStream;
}

export interface LogReadOptions {
  /** Secrets that must not be shown. */
  readonly mask: Mask;
  /**
   * True when the attempt is over. While it runs, the end of the log may hold part of a character or of a
   * secret, which is held back.
   */
  readonly isComplete: boolean;
}

/** A part of a log as text. Offsets are bytes of the file that the task writes. */
export interface LogPage {
  readonly offset: number;
  /** Offset of the next page. */
  readonly nextOffset: number;
  /** Length of the log, truncated ranges included. */
  readonly size: number;
  /** Valid text without secrets; one line replaces a truncated range. */
  readonly text: string;
}

/** Reader of the logs that tasks write. A log that is missing, or is not a regular file, is empty. */
export interface LogReader {
  /** Reads at most `limit` bytes from `offset`, but at least one character if there is one. */
  readPage(log: LogRef, offset: number, limit: number, view: LogReadOptions): Promise<LogPage>;
  /** Reads the last `lines` lines, at most `limit` bytes. */
  readTail(log: LogRef, lines: number, limit: number, view: LogReadOptions): Promise<LogPage>;
  /** Returns the length of a log, truncated ranges included; undefined when the log does not exist. */
  getSize(log: LogRef): Promise<number | undefined>;
  /**
   * Calls `onChange` when a file in the directory of an attempt changes, at least once for many changes,
   * until the returned function is called. Returns undefined when the directory does not exist yet or the
   * machine has no free file watchers.
   */
  watch(runId: number, onChange: () => void): (() => void) | undefined;
}
