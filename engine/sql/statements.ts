/** Splits SQL text into statements. */
import { isCode, tokenize, type SqlDialect, type SqlToken } from './tokenizer.ts';

export interface SqlStatement {
  /** Tokens from the first to the last that is code, with whitespace and comments between them. */
  readonly tokens: readonly SqlToken[];
  /** Line of the text in which the statement starts, from 1. */
  readonly line: number;
}

/** Returns the statements between the semicolons of a text, without those that have no code. */
export function splitStatements(sql: string, dialect: SqlDialect): SqlStatement[] {
  const statements: SqlStatement[] = [];
  let pending: SqlToken[] = [];
  let [line, countedTo] = [1, 0];
  const endStatement = (): void => {
    const tokens = pending.slice(pending.findIndex(isCode), pending.findLastIndex(isCode) + 1);
    pending = [];
    const [first] = tokens;
    if (first === undefined) return;
    line += sql.slice(countedTo, first.offset).split('\n').length - 1;
    countedTo = first.offset;
    statements.push({ tokens, line });
  };
  for (const token of tokenize(sql, dialect)) {
    if (token.kind === 'sign' && token.text === ';') endStatement();
    else pending.push(token);
  }
  endStatement();
  return statements;
}
