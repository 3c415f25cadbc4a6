/** Finds and compares tokens of a query; whitespace and comments are skipped. */
import { isCode, type SqlToken } from './tokenizer.ts';

/** Token that stands for a missing one: it has no text and is not code. */
export const emptyToken: SqlToken = { kind: 'space', text: '', offset: 0 };

/** Returns the index of the nearest code token before an index; -1 when there is none. */
export function previousTokenIndex(tokens: readonly SqlToken[], start: number): number {
  let index = start - 1;
  while (index >= 0 && !isCode(tokens[index] ?? emptyToken)) index -= 1;
  return index;
}

/** Returns the index of the nearest code token after an index; the number of tokens when there is none. */
export function nextTokenIndex(tokens: readonly SqlToken[], start: number): number {
  let index = start + 1;
  while (index < tokens.length && !isCode(tokens[index] ?? emptyToken)) index += 1;
  return index;
}

/** Tells whether a token is this keyword. @param word in lower case */
export function isKeyword(token: SqlToken | undefined, word: string): boolean {
  return token?.kind === 'word' && token.text.toLowerCase() === word;
}

/** Tells whether a token is one of these keywords. @param words in lower case */
export function isKeywordIn(token: SqlToken | undefined, words: ReadonlySet<string>): boolean {
  return token?.kind === 'word' && words.has(token.text.toLowerCase());
}
