/** `CREATE WIDGET` and `REMOVE WIDGET` of SQL notebooks: parameters with default values. */
import { isCode, type SqlToken } from './sql-tokens.ts';

export type WidgetStatement =
  | { readonly kind: 'create'; readonly name: string; readonly value: string }
  | { readonly kind: 'remove'; readonly name: string };

/** Parses a widget statement; undefined for other statements. */
export function parseWidgetStatement(tokens: readonly SqlToken[]): WidgetStatement | undefined {
  const code = tokens.filter(isCode);
  const words = code.map(({ text }) => text.toLowerCase());
  if (words[0] === 'remove' && words[1] === 'widget') return { kind: 'remove', name: unquote(code[2]) };
  if (words[0] !== 'create' || words[1] !== 'widget') return undefined;
  const index = words.indexOf('default');
  return { kind: 'create', name: unquote(code[3]), value: index < 0 ? '' : unquote(code[index + 1]) };
}

/** Returns a name or string without its quotes. */
function unquote(token: SqlToken | undefined): string {
  const { kind, text } = token ?? { kind: 'word', text: '' };
  if (kind === 'text' || kind === 'name' || kind === 'backtick')
    return text.slice(1, -1).replaceAll(text.charAt(0).repeat(2), text.charAt(0));
  return text;
}
