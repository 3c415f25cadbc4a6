/** Finds the known name that somebody most likely meant. */

/**
 * The name of `known` with the fewest letters to change, whatever the case; the first of several. `known` is
 * not empty.
 */
export function nearestName(name: string, known: readonly string[]): string {
  const [first = '', ...others] = known;
  let best = { name: first, changes: editDistance(name, first) };
  for (const other of others) {
    const changes = editDistance(name, other);
    if (changes < best.changes) best = { name: other, changes };
  }
  return best.name;
}

/** Letters to insert, remove or replace (Levenshtein), kept as one row of the usual table. */
export function editDistance(one: string, other: string): number {
  const [from, to] = [one.toLowerCase(), other.toLowerCase()];
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
