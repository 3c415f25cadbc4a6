/** Where something stands in the files of a pipeline, as its errors say it. */
import { invalid, type ServiceError } from '../errors.ts';

/** One file of a pipeline. */
export interface SourceFile {
  /** Path in the workspace. */
  readonly path: string;
  readonly text: string;
}

/** A place in a file. */
export interface Place {
  readonly file: SourceFile;
  /** Characters before it. */
  readonly at: number;
}

/** `/team/sales/daily.sql, line 3, column 5`, both counted from 1. */
export function placeText({ file, at }: Place): string {
  const before = file.text.slice(0, at);
  const line = before.split('\n').length;
  return `${file.path}, line ${line}, column ${at - before.lastIndexOf('\n')}`;
}

/** The refusal of what stands at a place. */
export function refusedAt(place: Place, message: string): ServiceError {
  return invalid(`${placeText(place)}: ${message}`);
}
