/** Query while its parameters are rewritten: replacements of its tokens, and notes for the user. */
import type { SqlToken } from '../sql/tokenizer.ts';

export interface QueryRewrite {
  readonly tokens: readonly SqlToken[];
  /** Replacement of each token; undefined: the token is unchanged. */
  readonly replacements: (string | undefined)[];
  /** Text before each token. */
  readonly prefixes: string[];
  /** Notes on what could not be converted exactly, as half sentences. */
  readonly notes: string[];
}

/** Replaces tokens by a text. */
export function replaceTokens(
  { replacements }: QueryRewrite,
  start: number,
  end: number,
  text: string,
): void {
  for (let index = start; index < end; index += 1) replacements[index] = '';
  replacements[start] = text;
}

/** Removes tokens; comments stay, with the line end that ends them. */
export function removeTokens({ tokens, replacements }: QueryRewrite, start: number, end: number): void {
  for (let index = start; index < end; index += 1) {
    if (tokens[index]?.kind === 'comment') continue;
    replacements[index] = tokens[index - 1]?.text.startsWith('--') === true ? '\n' : '';
  }
}

/** Returns the rewritten query. A space separates a replacement from a neighbour that it would merge with. */
export function assembleQuery({ tokens, replacements, prefixes }: QueryRewrite): string {
  const parts: string[] = [];
  // Only the end of the query so far: a test of the whole text would take quadratic time.
  let end = '';
  let isReplaced = false;
  for (const [index, { text }] of tokens.entries()) {
    const replacement = replacements[index];
    const next = `${prefixes[index] ?? ''}${replacement ?? text}`;
    if (next === '') continue;
    const mergesLeft =
      replacement !== undefined && /[\p{L}\p{N}_:]$/u.test(end) && /^[\p{L}\p{N}_:]/u.test(next);
    const mergesRight = isReplaced && /^[\p{L}\p{N}_.'"`$]/u.test(next);
    parts.push(mergesLeft || mergesRight ? ` ${next}` : next);
    end = next.slice(-2);
    isReplaced = replacement !== undefined && replacement.trim() !== '';
  }
  return parts.join('');
}
