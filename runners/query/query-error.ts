/** Converts errors of DuckDB: hides local paths and adds a hint. */
import { realpath } from 'node:fs/promises';
import { invalid, type ServiceError } from '../../engine/errors.ts';
import { truncateText } from '../../engine/validation/messages.ts';

/** Pattern of a message -> hint for the user. */
const hints: readonly (readonly [RegExp, string])[] = [
  [
    /^Catalog Error: Table/,
    "Tables are files here: FROM read_files('managed_fs:/dir/file.csv', format => 'csv').",
  ],
  [/^Permission Error|^IO Error.*disabled/, 'Queries can only read files of managed_fs, and change nothing.'],
  [
    /^Extension Autoloading Error|^Missing Extension Error|^HTTP Error/,
    'Queries can only read files of managed_fs, and have no network access.',
  ],
  [/^Out of Memory Error/, 'Read fewer columns, or aggregate earlier.'],
];

/** @param directory local directory of managed_fs, which messages must not reveal */
export async function toQueryError(message: string, directory: string): Promise<ServiceError> {
  // The rest repeats the rewritten query, which users do not know.
  const [first = ''] = message.replaceAll('\r', '').split(/\n\n?LINE \d+:|\n\n/);
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
