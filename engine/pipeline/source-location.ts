/** Where something stands in the files of a pipeline, as its errors say it. */
import { invalid, type ServiceError } from '../errors.ts';

/** One file of a pipeline. */
export interface SourceFile {
  /** Path in the workspace. */
  readonly path: string;
  readonly text: string;
}

/** A place in a file. */
export interface SourceLocation {
  readonly file: SourceFile;
  /** Characters before it. */
  readonly offset: number;
}

/** `/team/sales/daily.sql, line 3, column 5`, both counted from 1. */
export function formatLocation({ file, offset }: SourceLocation): string {
  const before = file.text.slice(0, offset);
  const line = before.split('\n').length;
  return `${file.path}, line ${line}, column ${offset - before.lastIndexOf('\n')}`;
}

/** The refusal of what stands at a place. */
export function invalidAt(place: SourceLocation, message: string): ServiceError {
  return invalid(`${formatLocation(place)}: ${message}`);
}
