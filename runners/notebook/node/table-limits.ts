/** Truncation of the values in tables that notebook cells show. */
import { fixedLimits } from '../../../engine/limits.ts';

/** A value as it is shown: whole, or its beginning with what is left out. */
export function truncateText(text: string): string {
  return text.length > fixedLimits.tableValueCharacters
    ? `${text.slice(0, fixedLimits.tableValueCharacters)}… (${text.length - fixedLimits.tableValueCharacters} characters left out)`
    : text;
}
