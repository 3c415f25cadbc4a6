/** Minimum, median and maximum of some measurements, as one text. */

/** @param values milliseconds, at least one */
export function summarizeMs(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): string => (sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(1);
  return `${at(0.5)} ms (min ${at(0)}, max ${at(1)}, n=${sorted.length})`;
}
