/** Glob patterns of file paths: `*` and `?` within a name, `**` across folders, `[a-z]` and `{a,b}`. */

/** Tells whether a path is a pattern. */
export function isGlob(path: string): boolean {
  return /[*?[{]/.test(path);
}

/** Returns the pattern that matches only this path; DuckDB treats every path as a pattern. */
export function escapeGlob(path: string): string {
  return path.replaceAll(/[*?[]/g, '[$&]');
}

/** Returns the folder that contains all matches: the path before the first wildcard. */
export function baseFolderOf(pattern: string): string {
  const wildcard = pattern.search(/[*?[{]/);
  const end = (wildcard < 0 ? pattern : pattern.slice(0, wildcard)).lastIndexOf('/');
  return end <= 0 ? '/' : pattern.slice(0, end);
}

/** Returns the regular expression of a pattern. */
export function globToRegExp(glob: string): RegExp {
  let [source, depth] = ['', 0];
  for (let offset = 0; offset < glob.length; offset += 1) {
    const character = glob[offset] ?? '';
    const set = character === '[' ? /^\[[!^]?[^\]/]+\]/.exec(glob.slice(offset))?.[0] : undefined;
    if (set !== undefined) {
      source += set.replace(/^\[!/, '[^').replaceAll('\\', '\\\\');
      offset += set.length - 1;
    } else if (glob.startsWith('**/', offset)) {
      source += '(?:.*/)?';
      offset += 2;
    } else if (glob.startsWith('**', offset)) {
      source += '.*';
      offset += 1;
    } else if (character === '*') source += '[^/]*';
    else if (character === '?') source += '[^/]';
    else if (character === '{') {
      source += '(?:';
      depth += 1;
    } else if (character === '}' && depth > 0) {
      source += ')';
      depth -= 1;
    } else if (character === ',' && depth > 0) source += '|';
    else source += character.replace(/[\\^$.|+()[\]{}/]/, '\\$&');
  }
  return new RegExp(`^${source}${')'.repeat(depth)}$`, 'u');
}
