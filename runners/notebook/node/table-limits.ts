/** Truncation of the values in tables that notebook cells show. */
import { fixedLimits } from '../../../engine/limits.ts';

/** Truncates a long value and appends the number of omitted characters. */
export function truncateText(text: string): string {
  return text.length > fixedLimits.tableValueCharacters
    ? `${text.slice(0, fixedLimits.tableValueCharacters)}… (${text.length - fixedLimits.tableValueCharacters} characters left out)`
    : text;
}
