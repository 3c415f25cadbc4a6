/** Limits of the table that a cell shows. */

/** Maximum rows, and their size as JSON. */
export const tableRowsMax = 10_000;
export const tableBytesMax = 2 * 2 ** 20;

/** Maximum characters of one value. */
export const valueCharactersMax = 64 * 2 ** 10;

/** Truncates a long value and appends the number of omitted characters. */
export function truncateText(text: string): string {
  return text.length > valueCharactersMax
    ? `${text.slice(0, valueCharactersMax)}… (${text.length - valueCharactersMax} characters left out)`
    : text;
}
