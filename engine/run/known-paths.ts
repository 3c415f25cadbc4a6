/** Names of server directories in messages and traces: users know `managed_fs:/x`, not the data directory. */

/** A directory of the service and the name that users know it by. */
export interface KnownPath {
  /** Absolute, without a slash at the end. */
  readonly directory: string;
  /** `managed_fs:`, `objstore:/`, or '' for workspace paths. */
  readonly name: string;
}

/** Name of the directory with those of attempts, which are left out with their ids. */
export const attemptDirectories = 'runs:';

/** Directories of attempts below the directory of runs: `<runs>/17/work/x` is `work/x`. */
const attemptDirectory = /^\/\d+\//;

/** Replaces server directories in a text. Longer directories come before their parents. */
export function toKnownPaths(paths: readonly KnownPath[], text: string): string {
  let shown = text;
  for (const { directory, name } of paths.toSorted(
    (one, other) => other.directory.length - one.directory.length,
  ))
    if (directory !== '' && shown.includes(directory)) shown = replaceDirectory(shown, directory, name);
  return shown;
}

function replaceDirectory(text: string, directory: string, name: string): string {
  const [first = '', ...rest] = text.split(directory);
  return rest.reduce((before, after) => {
    // The directory must end here: `/data/managed_fs2` is another one.
    if (/^[\w.-]/.test(after)) return `${before}${directory}${after}`;
    const attempt = name === attemptDirectories ? attemptDirectory.exec(after)?.[0] : undefined;
    return attempt === undefined ? `${before}${name}${after}` : `${before}${after.slice(attempt.length)}`;
  }, first);
}

/** Applies `toKnownPaths` to all texts of a document. */
export function withKnownPaths<Value>(paths: readonly KnownPath[], value: Value): Value {
  // The walk keeps the shape: texts stay texts.
  return mapTexts(paths, value) as Value;
}

function mapTexts(paths: readonly KnownPath[], value: unknown): unknown {
  if (typeof value === 'string') return toKnownPaths(paths, value);
  if (Array.isArray(value)) return value.map((one: unknown) => mapTexts(paths, one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapTexts(paths, one)]));
}
