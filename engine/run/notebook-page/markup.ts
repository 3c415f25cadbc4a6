/** Composes HTML: the `html` template escapes all text. */

/** Piece of HTML. Only `html` and `trustedMarkup` create it. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Part of a template: text and numbers are escaped, markup is not, undefined renders as nothing. */
export type MarkupPart = string | number | undefined | Markup | readonly Markup[];

/** Renders a template, such as `html\`<p>${text}</p>\``. Attributes must have double quotes. */
export function html(strings: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  return new Markup(strings.map((string, index) => string + renderPart(parts[index])).join(''));
}

/** Declares a text as markup: for constants, and for the output of a library that escapes. */
export function trustedMarkup(text: string): Markup {
  return new Markup(text);
}

function renderPart(part: MarkupPart): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return part.text;
  return typeof part === 'object' ? part.map((each) => each.text).join('') : escapeHtml(String(part));
}

/** Escapes a text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  // One pass for each character avoids a callback for every match; outputs have megabytes.
  return replaceControlCharacters(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/**
 * Replaces what HTML cannot contain: control characters by their pictures (U+0000 by ␀), lone surrogates by
 * U+FFFD.
 */
export function replaceControlCharacters(text: string): string {
  return text.toWellFormed().replaceAll(/(?![\t\n\r])\p{Cc}/gu, controlPictureOf);
}

function controlPictureOf(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '␡' : '\uFFFD';
}
