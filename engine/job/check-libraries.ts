/** Validation of libraries beyond their schema (spec 2.8). */
import { invalid } from '../errors.ts';
import { libraryKinds, type Library } from './cluster.ts';
import { libraryFields } from './fields/cluster-fields.ts';
import { checkSupported } from './fields/field-support.ts';
import { checkExactlyOne, quote } from '../validation/messages.ts';

/** Matches distribution-version(-build)?-python-abi-platform.whl; no part contains a dash. */
const wheelName = /^[\w.]+-[\w.!+]+(-\d\w*)?-[\w.]+-[\w.]+-[\w.]+\.whl$/;

/**
 * Refuses an entry that is not exactly one kind of library, and an invalid wheel name.
 * @throws ServiceError INVALID_PARAMETER_VALUE that names field, value and rule
 */
export function checkLibraries(path: string, libraries: readonly Library[] = []): void {
  for (const [index, library] of libraries.entries()) {
    const entry = `${path}[${index}]`;
    checkSupported(entry, library, libraryFields);
    checkExactlyOne(
      entry,
      libraryKinds.filter((kind) => library[kind] !== undefined),
      libraryKinds,
    );
    if (library.whl !== undefined) checkWheel(`${entry}.whl`, library.whl);
  }
}

function checkWheel(path: string, uri: string): void {
  const file = uri.slice(uri.lastIndexOf('/') + 1);
  if (file.endsWith('.wheelhouse.zip') || wheelName.test(file)) return;
  throw invalid(
    `${path} is ${quote(uri)}; the file must be named name-version-python-abi-platform.whl, or end in .wheelhouse.zip.`,
  );
}
