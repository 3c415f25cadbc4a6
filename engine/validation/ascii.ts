/** Validation of fields that allow only ASCII characters (spec 7). */
import { invalid } from '../errors.ts';
import { fieldPath, quote } from './messages.ts';

const nonAscii = /[^\p{ASCII}]/u;

/** Refuses a text with a character outside ASCII. @throws ServiceError INVALID_PARAMETER_VALUE */
function checkAscii(path: string, text: string): void {
  if (nonAscii.test(text)) throw invalid(`${path} is ${quote(text)}; only ASCII characters are allowed.`);
}

/** Refuses a list in which a text has a character outside ASCII. */
export function checkAsciiList(path: string, list: readonly string[] = []): void {
  for (const [index, text] of list.entries()) checkAscii(`${path}[${index}]`, text);
}

/** Refuses a map (ParamPair, environment variables) with a character outside ASCII in a name or a value. */
export function checkAsciiMap(path: string, map: Readonly<Record<string, string>> = {}): void {
  for (const [name, value] of Object.entries(map)) {
    if (nonAscii.test(name))
      throw invalid(`${path} has the name ${quote(name)}; only ASCII characters are allowed.`);
    checkAscii(fieldPath(path, name), value);
  }
}
