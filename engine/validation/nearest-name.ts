/** Suggestions for misspelled names. */

/** Returns the name of `known`, which is not empty, with the smallest edit distance. */
export function nearestName(name: string, known: readonly string[]): string {
  const [first = '', ...others] = known;
  let best = { name: first, changes: editDistance(name, first) };
  for (const other of others) {
    const changes = editDistance(name, other);
    if (changes < best.changes) best = { name: other, changes };
  }
  return best.name;
}

/** Names are shorter. The time of a comparison grows with the product of both lengths. */
const comparedLength = 200;

/**
 * Returns the Levenshtein distance without regard to case, of the first 200 characters. Keeps one row of the
 * table.
 */
export function editDistance(one: string, other: string): number {
  const from = one.slice(0, comparedLength).toLowerCase();
  const to = other.slice(0, comparedLength).toLowerCase();
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const letter of from) {
    const above = row;
    row = [(above[0] ?? 0) + 1];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (above[column - 1] ?? 0) + (letter === to[column - 1] ? 0 : 1);
      row.push(Math.min(replaced, (above[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1));
    }
  }
  return row.at(-1) ?? 0;
}
