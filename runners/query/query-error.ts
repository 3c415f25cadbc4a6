/**
 * What DuckDB says of a query that it cannot run, made fit for people: no path of this machine, and what can
 * be done.
 */
import { realpath } from 'node:fs/promises';
import { invalid, type ServiceError } from '../../engine/errors.ts';
import { truncateText } from '../../engine/validation/messages.ts';

/** Beginning of a message -> what can be done. */
const hints: readonly (readonly [RegExp, string])[] = [
  [
    /^Catalog Error: Table/,
    "Tables are files here: FROM read_files('managed_fs:/dir/file.csv', format => 'csv').",
  ],
  [/^Permission Error|^IO Error.*disabled/, 'A query reads files of managed_fs only, and changes nothing.'],
  [
    /^Extension Autoloading Error|^Missing Extension Error|^HTTP Error/,
    'A query reads files of managed_fs only, and reaches no network.',
  ],
  [/^Out of Memory Error/, 'Read fewer columns, or aggregate earlier.'],
];

/** @param directory where managed_fs is on this machine, which is never told */
export async function toQueryError(said: string, directory: string): Promise<ServiceError> {
  // The rest repeats the query and marks a place in it, which is not what its author wrote.
  const [first = ''] = said.replaceAll('\r', '').split(/\n\n?LINE \d+:|\n\n/);
  const real = await realpath(directory).catch(() => directory);
  const known = [real, directory].reduce(
    (text, path) => text.replaceAll(`${path}/`, 'managed_fs:/').replaceAll(path, 'managed_fs:'),
    first.trim().replaceAll(/\s+/g, ' '),
  );
  const hint = hints.find(([pattern]) => pattern.test(known))?.[1];
  return invalid(
    `The query cannot be run: ${truncateText(known, 600)}${/[.!?]$/.test(known) ? '' : '.'}${hint === undefined ? '' : ` ${hint}`}`,
  );
}
