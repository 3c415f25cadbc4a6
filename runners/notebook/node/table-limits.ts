/** How much of a table a cell shows; the rest is counted. */

/** Rows, and their size as JSON. */
export const tableRows = 10_000;
export const tableBytes = 2 * 2 ** 20;

/** Characters of one value. */
export const valueCharacters = 64 * 2 ** 10;

/** A value as it is shown: whole, or its beginning with what is left out. */
export function shownText(text: string): string {
  return text.length > valueCharacters
    ? `${text.slice(0, valueCharacters)}… (${text.length - valueCharacters} characters left out)`
    : text;
}
