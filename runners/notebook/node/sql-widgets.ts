/** `CREATE WIDGET` and `REMOVE WIDGET` of SQL notebooks: parameters with a value for runs that give none. */
import { isCode, type SqlToken } from './sql-tokens.ts';

export type WidgetStatement =
  | { readonly kind: 'create'; readonly name: string; readonly value: string }
  | { readonly kind: 'remove'; readonly name: string };

/** What such a statement declares; undefined for every other statement. */
export function parseWidgetStatement(tokens: readonly SqlToken[]): WidgetStatement | undefined {
  const code = tokens.filter(isCode);
  const words = code.map(({ text }) => text.toLowerCase());
  if (words[0] === 'remove' && words[1] === 'widget') return { kind: 'remove', name: unquote(code[2]) };
  if (words[0] !== 'create' || words[1] !== 'widget') return undefined;
  const place = words.indexOf('default');
  return { kind: 'create', name: unquote(code[3]), value: place < 0 ? '' : unquote(code[place + 1]) };
}

/** A name or text without what it stands in. */
function unquote(token: SqlToken | undefined): string {
  const { kind, text } = token ?? { kind: 'word', text: '' };
  if (kind === 'text' || kind === 'name' || kind === 'backtick')
    return text.slice(1, -1).replaceAll(text.charAt(0).repeat(2), text.charAt(0));
  return text;
}
