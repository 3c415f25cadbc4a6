/** Patterns of file paths: `*` and `?` within a name, `**` across folders, `[a-z]` and `{a,b}`. */

/** Whether a path has signs of a pattern. */
export function isGlob(path: string): boolean {
  return /[*?[{]/.test(path);
}

/** The pattern that matches a path and nothing else: DuckDB takes every path for a pattern. */
export function escapeGlob(path: string): string {
  return path.replaceAll(/[*?[]/g, '[$&]');
}

/** The folder in which everything lies that a pattern may match: what stands before its first sign. */
export function baseFolderOf(pattern: string): string {
  const sign = pattern.search(/[*?[{]/);
  const end = (sign < 0 ? pattern : pattern.slice(0, sign)).lastIndexOf('/');
  return end <= 0 ? '/' : pattern.slice(0, end);
}

/** What the paths look like that a pattern matches. */
export function globToRegExp(glob: string): RegExp {
  let [source, depth] = ['', 0];
  for (let place = 0; place < glob.length; place += 1) {
    const sign = glob[place] ?? '';
    const set = sign === '[' ? /^\[[!^]?[^\]/]+\]/.exec(glob.slice(place))?.[0] : undefined;
    if (set !== undefined) {
      source += set.replace(/^\[!/, '[^').replaceAll('\\', '\\\\');
      place += set.length - 1;
    } else if (glob.startsWith('**/', place)) {
      source += '(?:.*/)?';
      place += 2;
    } else if (glob.startsWith('**', place)) {
      source += '.*';
      place += 1;
    } else if (sign === '*') source += '[^/]*';
    else if (sign === '?') source += '[^/]';
    else if (sign === '{') {
      source += '(?:';
      depth += 1;
    } else if (sign === '}' && depth > 0) {
      source += ')';
      depth -= 1;
    } else if (sign === ',' && depth > 0) source += '|';
    else source += sign.replace(/[\\^$.|+()[\]{}/]/, '\\$&');
  }
  return new RegExp(`^${source}${')'.repeat(depth)}$`, 'u');
}
