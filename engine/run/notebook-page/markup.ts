/**
 * HTML that is put together so that no text can become markup: the `html` template escapes whatever is put
 * into it.
 */

/**
 * A piece of finished HTML. Only this module's callers that vouch for a text make one from it (`trusted`).
 */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a template takes: text and numbers are escaped, markup is put in as it is, nothing leaves nothing. */
export type MarkupPart = string | number | undefined | Markup | readonly Markup[];

/** `html\`<p>${text}</p>\``: the only way in which pages are written. Attributes stand in double quotes. */
export function html(strings: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  return new Markup(strings.map((string, index) => string + renderPart(parts[index])).join(''));
}

/** Vouches for a text that is markup already: constants, and what a library has escaped. */
export function trustedMarkup(text: string): Markup {
  return new Markup(text);
}

function renderPart(part: MarkupPart): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return part.text;
  return typeof part === 'object' ? part.map((each) => each.text).join('') : escapeHtml(String(part));
}

/** A text as HTML shows it, in an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  // One pass for each character, as no pass has to call back for every match: outputs have megabytes.
  return replaceControlCharacters(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/**
 * A text without what HTML cannot hold: control characters become their pictures (U+0000 is ␀), halves of
 * surrogate pairs U+FFFD.
 */
export function replaceControlCharacters(text: string): string {
  return text.toWellFormed().replaceAll(/(?![\t\n\r])\p{Cc}/gu, controlPictureOf);
}

function controlPictureOf(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '␡' : '\uFFFD';
}
