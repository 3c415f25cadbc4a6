/** How much of a table a cell shows; the rest is counted. */

/** Rows, and their size as JSON. */
export const tableRowsMax = 10_000;
export const tableBytesMax = 2 * 2 ** 20;

/** Characters of one value. */
export const valueCharactersMax = 64 * 2 ** 10;

/** A value as it is shown: whole, or its beginning with what is left out. */
export function truncateText(text: string): string {
  return text.length > valueCharactersMax
    ? `${text.slice(0, valueCharactersMax)}… (${text.length - valueCharactersMax} characters left out)`
    : text;
}
