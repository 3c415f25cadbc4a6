/** Reads a document that a command gets as a file: JSON, or YAML, of which JSON is a part. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { parseDocument } from 'yaml';
import { messageOf } from '../../engine/errors.ts';
import { CommandError } from '../start-error.ts';

/**
 * Reads and parses a file.
 * @param file path, or - for stdin
 * @throws CommandError with file, line and column
 */
export async function readDocument(file: string): Promise<unknown> {
  const name = file === '-' ? 'The input' : file;
  const source = await (file === '-' ? text(process.stdin) : readFile(file, 'utf8')).catch(
    (error: unknown) => {
      throw new CommandError(`${name} cannot be read: ${messageOf(error)}.`);
    },
  );
  return parseText(source, name);
}

/** Parses YAML or JSON. @param name name of the source in messages. @throws CommandError */
export function parseText(source: string, name: string): unknown {
  const document = parseDocument(source, { prettyErrors: true });
  const [error] = document.errors;
  if (error === undefined) return document.toJS();
  const [position] = error.linePos ?? [];
  const place = position === undefined ? name : `${name}, line ${position.line}, column ${position.col}`;
  throw new CommandError(`${place}: ${error.message.split('\n')[0]?.replace(/ at line .*$/, '') ?? ''}`);
}
