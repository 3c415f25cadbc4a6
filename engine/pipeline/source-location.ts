/** Locations in the files of a pipeline, for errors. */
import { invalid, type ServiceError } from '../errors.ts';

/** File of a pipeline. */
export interface SourceFile {
  /** Path in the workspace. */
  readonly path: string;
  readonly text: string;
}

/** Location in a file. */
export interface SourceLocation {
  readonly file: SourceFile;
  /** Number of characters before the location. */
  readonly offset: number;
}

/** Returns `/team/sales/daily.sql, line 3, column 5`; both count from 1. */
export function formatLocation({ file, offset }: SourceLocation): string {
  const before = file.text.slice(0, offset);
  const line = before.split('\n').length;
  return `${file.path}, line ${line}, column ${offset - before.lastIndexOf('\n')}`;
}

/** Returns an error with its location. */
export function invalidAt(location: SourceLocation, message: string): ServiceError {
  return invalid(`${formatLocation(location)}: ${message}`);
}
