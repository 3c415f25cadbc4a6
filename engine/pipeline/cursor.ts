/** Reads the tokens of one statement one after the other, and says where something else was expected. */
import type { ServiceError } from '../errors.ts';
import { quote } from '../validation/messages.ts';
import { tokensOf, type Token } from '../sql/tokens.ts';
import type { SourceSql } from './definition.ts';
import { refusedAt, type Place, type SourceFile } from './source-place.ts';

/** A token that is no blank and no comment. */
export interface PlacedToken extends Token {
  /** Characters before it in its file. */
  readonly at: number;
}

/** The statements of a file, each as its tokens; those between two semicolons without any are left out. */
export function statementsOf(file: SourceFile): PlacedToken[][] {
  const statements: PlacedToken[][] = [[]];
  let at = 0;
  for (const token of tokensOf(file.text)) {
    if (token.kind === 'sign' && token.text === ';') statements.push([]);
    else if (token.kind !== 'space' && token.kind !== 'comment') statements.at(-1)?.push({ ...token, at });
    at += token.text.length;
  }
  return statements.filter((tokens) => tokens.length > 0);
}

export class Cursor {
  readonly #file: SourceFile;
  readonly #tokens: readonly PlacedToken[];
  #next = 0;

  constructor(file: SourceFile, tokens: readonly PlacedToken[]) {
    this.#file = file;
    this.#tokens = tokens;
  }

  /** Where the next token stands; behind the last one, where that ends. */
  get place(): Place {
    const last = this.#tokens.at(-1);
    return { file: this.#file, at: this.peek()?.at ?? (last === undefined ? 0 : last.at + last.text.length) };
  }

  peek(ahead = 0): PlacedToken | undefined {
    return this.#tokens[this.#next + ahead];
  }

  /** Whether these words come next, in any case. */
  sees(...words: readonly string[]): boolean {
    return words.every((word, index) => {
      const token = this.peek(index);
      return token?.kind === 'word' && token.text.toUpperCase() === word;
    });
  }

  /** Takes these words if they come next. */
  takes(...words: readonly string[]): boolean {
    const found = this.sees(...words);
    if (found) this.#next += words.length;
    return found;
  }

  takesSign(sign: string): boolean {
    const token = this.peek();
    const found = token?.kind === 'sign' && token.text === sign;
    if (found) this.#next += 1;
    return found;
  }

  /** @throws ServiceError when something else comes next */
  expects(...words: readonly string[]): void {
    if (!this.takes(...words)) throw this.refusal(words.join(' '));
  }

  expectsSign(sign: string): void {
    if (!this.takesSign(sign)) throw this.refusal(quote(sign));
  }

  /** A name, with or without backticks. @param what what it is the name of, for the refusal */
  name(what: string): string {
    const token = this.peek();
    if (token?.kind !== 'word' && token?.kind !== 'quoted-name') throw this.refusal(what);
    this.#next += 1;
    return token.kind === 'word' ? token.text : token.text.slice(1, -1).replaceAll('``', '`');
  }

  /** A text between quotes. */
  text(what: string): string {
    const token = this.peek();
    if (token?.kind !== 'text') throw this.refusal(what);
    this.#next += 1;
    const mark = token.text[0] ?? "'";
    return token.text
      .slice(1, -1)
      .replaceAll(mark + mark, mark)
      .replaceAll(/\\(.)/gs, '$1');
  }

  /** Takes one token, whatever it is. */
  take(): PlacedToken | undefined {
    const token = this.peek();
    this.#next += 1;
    return token;
  }

  /** What stands between the bracket that comes next and the one that closes it; both are taken. */
  bracketed(what: string): SourceSql {
    this.expectsSign('(');
    const start = this.#next;
    for (let depth = 1; ; this.#next += 1) {
      const token = this.peek();
      if (token === undefined) throw this.refusal('")"');
      if (token.kind !== 'sign') continue;
      if (token.text === '(') depth += 1;
      if (token.text === ')') depth -= 1;
      if (depth === 0) break;
    }
    const inside = this.#slice(start, this.#next);
    if (inside === undefined) throw this.refusal(what);
    this.#next += 1;
    return inside;
  }

  /** Everything up to the end of the statement. */
  rest(what: string): SourceSql {
    const found = this.#slice(this.#next, this.#tokens.length);
    if (found === undefined) throw this.refusal(what);
    this.#next = this.#tokens.length;
    return found;
  }

  /** @throws ServiceError when the statement goes on */
  ends(allowed: string): void {
    if (this.peek() !== undefined) throw this.refusal(allowed);
  }

  /** Says what was expected, and what stands there. */
  refusal(expected: string): ServiceError {
    const token = this.peek();
    return refusedAt(
      this.place,
      `${expected} was expected, but ${token === undefined ? 'the statement ends' : `${quote(token.text)} stands there`}.`,
    );
  }

  #slice(from: number, to: number): SourceSql | undefined {
    const [first, last] = [this.#tokens[from], this.#tokens[to - 1]];
    if (first === undefined || last === undefined || to <= from) return undefined;
    return {
      text: this.#file.text.slice(first.at, last.at + last.text.length),
      place: { file: this.#file, at: first.at },
    };
  }
}
