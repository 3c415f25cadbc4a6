/** Turns a TypeScript module of this project into JavaScript with the same line numbers. */
import { isBuiltin, stripTypeScriptTypes } from 'node:module';

export interface JavaScriptModule {
  readonly text: string;
  /** Packages that the module imports. */
  readonly packages: readonly string[];
}

/** A relative path of a module, in quotes. Modules name their files with extension, also those of threads. */
const relativeModule = /(['"])(\.{1,2}\/[^'"\n]*)\.ts\1/g;
const importedName = /(?:\bfrom|\bimport)\s*\(?\s*(['"])([^'"./][^'"\n]*)\1/g;

/**
 * Converts a module. Types are replaced by blanks, so that stack traces keep their places.
 * @param isTyped false for a module that is JavaScript already
 */
export function toJavaScript(source: string, isTyped: boolean): JavaScriptModule {
  const stripped = isTyped ? stripTypeScriptTypes(source, { mode: 'strip' }) : source;
  const text = stripped
    .replaceAll(relativeModule, '$1$2.js$1')
    // Housekeeping names the extension of its thread modules.
    .replaceAll("acceptedExtensions: ['.ts']", "acceptedExtensions: ['.js']");
  const packages = [...stripped.matchAll(importedName)].map(([, , name = '']) => packageOf(name));
  return { text, packages: packages.filter((name) => !isBuiltin(name)) };
}

/** Returns the package of a specifier, as in "typebox/value" or "@scope/name/file". */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
