/** Text of files that others may be writing meanwhile. */
import { StringDecoder } from 'node:string_decoder';
import { openRegular, readFrom } from './open-file.ts';

/** The beginning of a file. */
export interface Beginning {
  readonly text: string;
  /** Bytes that were read. */
  readonly bytes: number;
  readonly more: boolean;
}

/** The beginning of a file as text; a file that is not there is empty. */
export async function readText(path: string, most: number): Promise<Beginning> {
  const file = await openRegular(path);
  if (file === undefined) return { text: '', bytes: 0, more: false };
  try {
    const { size } = await file.stat();
    const bytes = await readFrom(file, 0, most);
    const decoder = new StringDecoder('utf8');
    const whole = decoder.write(bytes);
    // A character that the limit cuts is left out; one that the file itself breaks off is replaced.
    return { text: size > most ? whole : whole + decoder.end(), bytes: bytes.length, more: size > most };
  } finally {
    await file.close();
  }
}

/** The value that a JSON text stands for; undefined when it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
