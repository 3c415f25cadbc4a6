/** Reads the code tokens of one statement in order, and reports where another token was expected. */
import type { ServiceError } from '../errors.ts';
import { unquoteName, unquoteText } from '../sql/sql-items.ts';
import type { SqlToken } from '../sql/tokenizer.ts';
import { quote } from '../validation/messages.ts';
import type { SourceSql } from './definition.ts';
import { invalidAt, type SourceLocation, type SourceFile } from './source-location.ts';

export class TokenCursor {
  readonly #file: SourceFile;
  readonly #tokens: readonly SqlToken[];
  #next = 0;

  /** @param tokens tokens of the statement, without whitespace and comments */
  constructor(file: SourceFile, tokens: readonly SqlToken[]) {
    this.#file = file;
    this.#tokens = tokens;
  }

  /** Location of the next token; after the last token, its end. */
  get location(): SourceLocation {
    const last = this.#tokens.at(-1);
    return {
      file: this.#file,
      offset: this.peek()?.offset ?? (last === undefined ? 0 : last.offset + last.text.length),
    };
  }

  peek(ahead = 0): SqlToken | undefined {
    return this.#tokens[this.#next + ahead];
  }

  /** Tells whether these keywords come next. @param words in upper case */
  isNext(...words: readonly string[]): boolean {
    return words.every((word, index) => {
      const token = this.peek(index);
      return token?.kind === 'word' && token.text.toUpperCase() === word;
    });
  }

  /** Consumes these keywords if they come next. */
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

  /** Consumes a name, with or without backticks. @param what description of the name, for the error */
  parseName(what: string): string {
    const token = this.peek();
    if (token?.kind !== 'word' && token?.kind !== 'quoted-name') throw this.unexpectedToken(what);
    this.#next += 1;
    return token.kind === 'word' ? token.text : unquoteName(token.text);
  }

  /** Consumes a text literal. @param what description of the text, for the error */
  parseText(what: string): string {
    const token = this.peek();
    if (token?.kind !== 'text') throw this.unexpectedToken(what);
    this.#next += 1;
    return unquoteText(token.text, 'spark');
  }

  /** Consumes one token of any kind. */
  next(): SqlToken | undefined {
    const token = this.peek();
    this.#next += 1;
    return token;
  }

  /** Consumes a pair of brackets, and returns what is between them. */
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

  /** Consumes everything up to the end of the statement. */
  parseRest(what: string): SourceSql {
    const found = this.#slice(this.#next, this.#tokens.length);
    if (found === undefined) throw this.unexpectedToken(what);
    this.#next = this.#tokens.length;
    return found;
  }

  /** @throws ServiceError when the statement continues */
  expectEnd(allowed: string): void {
    if (this.peek() !== undefined) throw this.unexpectedToken(allowed);
  }

  /** Returns the error for the next token. @param expected description of what was expected */
  unexpectedToken(expected: string): ServiceError {
    const token = this.peek();
    const found = token === undefined ? 'the statement ends' : `${quote(token.text)} was found`;
    return invalidAt(this.location, `${expected} was expected, but ${found}.`);
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
