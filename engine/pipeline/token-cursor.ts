/** Reads the tokens of one statement one after the other, and says where something else was expected. */
import type { ServiceError } from '../errors.ts';
import { quote } from '../validation/messages.ts';
import { tokenize, type SqlToken } from '../sql/tokenizer.ts';
import type { SourceSql } from './definition.ts';
import { invalidAt, type SourceLocation, type SourceFile } from './source-location.ts';

/** A token that is no blank and no comment. */
export interface LocatedToken extends SqlToken {
  /** Characters before it in its file. */
  readonly offset: number;
}

/** The statements of a file, each as its tokens; those between two semicolons without any are left out. */
export function splitStatements(file: SourceFile): LocatedToken[][] {
  const statements: LocatedToken[][] = [[]];
  let at = 0;
  for (const token of tokenize(file.text)) {
    if (token.kind === 'sign' && token.text === ';') statements.push([]);
    else if (token.kind !== 'space' && token.kind !== 'comment')
      statements.at(-1)?.push({ ...token, offset: at });
    at += token.text.length;
  }
  return statements.filter((tokens) => tokens.length > 0);
}

export class TokenCursor {
  readonly #file: SourceFile;
  readonly #tokens: readonly LocatedToken[];
  #next = 0;

  constructor(file: SourceFile, tokens: readonly LocatedToken[]) {
    this.#file = file;
    this.#tokens = tokens;
  }

  /** Where the next token stands; behind the last one, where that ends. */
  get location(): SourceLocation {
    const last = this.#tokens.at(-1);
    return {
      file: this.#file,
      offset: this.peek()?.offset ?? (last === undefined ? 0 : last.offset + last.text.length),
    };
  }

  peek(ahead = 0): LocatedToken | undefined {
    return this.#tokens[this.#next + ahead];
  }

  /** Whether these words come next, in any case. */
  isNext(...words: readonly string[]): boolean {
    return words.every((word, index) => {
      const token = this.peek(index);
      return token?.kind === 'word' && token.text.toUpperCase() === word;
    });
  }

  /** Takes these words if they come next. */
  accept(...words: readonly string[]): boolean {
    const found = this.isNext(...words);
    if (found) this.#next += words.length;
    return found;
  }

  acceptSymbol(sign: string): boolean {
    const token = this.peek();
    const found = token?.kind === 'sign' && token.text === sign;
    if (found) this.#next += 1;
    return found;
  }

  /** @throws ServiceError when something else comes next */
  expect(...words: readonly string[]): void {
    if (!this.accept(...words)) throw this.unexpectedToken(words.join(' '));
  }

  expectSymbol(sign: string): void {
    if (!this.acceptSymbol(sign)) throw this.unexpectedToken(quote(sign));
  }

  /** A name, with or without backticks. @param what what it is the name of, for the refusal */
  parseName(what: string): string {
    const token = this.peek();
    if (token?.kind !== 'word' && token?.kind !== 'quoted-name') throw this.unexpectedToken(what);
    this.#next += 1;
    return token.kind === 'word' ? token.text : token.text.slice(1, -1).replaceAll('``', '`');
  }

  /** A text between quotes. */
  parseText(what: string): string {
    const token = this.peek();
    if (token?.kind !== 'text') throw this.unexpectedToken(what);
    this.#next += 1;
    const mark = token.text[0] ?? "'";
    return token.text
      .slice(1, -1)
      .replaceAll(mark + mark, mark)
      .replaceAll(/\\(.)/gs, '$1');
  }

  /** Takes one token, whatever it is. */
  next(): LocatedToken | undefined {
    const token = this.peek();
    this.#next += 1;
    return token;
  }

  /** What stands between the bracket that comes next and the one that closes it; both are taken. */
  parseBracketed(what: string): SourceSql {
    this.expectSymbol('(');
    const start = this.#next;
    for (let depth = 1; ; this.#next += 1) {
      const token = this.peek();
      if (token === undefined) throw this.unexpectedToken('")"');
      if (token.kind !== 'sign') continue;
      if (token.text === '(') depth += 1;
      if (token.text === ')') depth -= 1;
      if (depth === 0) break;
    }
    const inside = this.#slice(start, this.#next);
    if (inside === undefined) throw this.unexpectedToken(what);
    this.#next += 1;
    return inside;
  }

  /** Everything up to the end of the statement. */
  parseRest(what: string): SourceSql {
    const found = this.#slice(this.#next, this.#tokens.length);
    if (found === undefined) throw this.unexpectedToken(what);
    this.#next = this.#tokens.length;
    return found;
  }

  /** @throws ServiceError when the statement goes on */
  expectEnd(allowed: string): void {
    if (this.peek() !== undefined) throw this.unexpectedToken(allowed);
  }

  /** Says what was expected, and what stands there. */
  unexpectedToken(expected: string): ServiceError {
    const token = this.peek();
    return invalidAt(
      this.location,
      `${expected} was expected, but ${token === undefined ? 'the statement ends' : `${quote(token.text)} stands there`}.`,
    );
  }

  #slice(from: number, to: number): SourceSql | undefined {
    const [first, last] = [this.#tokens[from], this.#tokens[to - 1]];
    if (first === undefined || last === undefined || to <= from) return undefined;
    return {
      text: this.#file.text.slice(first.offset, last.offset + last.text.length),
      location: { file: this.#file, offset: first.offset },
    };
  }
}
