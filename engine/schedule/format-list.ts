/** Lists in words: `1, 10 to 12 and 28`. */

/** Formats ordered values; three or more consecutive values become a range. */
export function formatRanges(values: readonly number[], nameOf: (value: number) => string = String): string {
  const parts: string[] = [];
  for (let index = 0; index < values.length;) {
    const end = findEndOfRun(values, index);
    const [first = 0, last = 0] = [values[index], values[end]];
    if (end - index >= 2) parts.push(`${nameOf(first)} to ${nameOf(last)}`);
    else for (let one = index; one <= end; one += 1) parts.push(nameOf(values[one] ?? 0));
    index = end + 1;
  }
  return joinWithAnd(parts);
}

/** Joins parts to `a`, `a and b` or `a, b and c`. */
export function joinWithAnd(parts: readonly string[]): string {
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}

function findEndOfRun(values: readonly number[], start: number): number {
  let end = start;
  while (values[end + 1] === (values[end] ?? 0) + 1) end += 1;
  return end;
}
