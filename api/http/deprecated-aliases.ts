/** Second paths of operations: the vendor's spelling of a neutral path segment. */
import type { Operation } from './operation.ts';

/**
 * Returns the operations, each followed by its deprecated aliases.
 * @param aliases vendor spelling -> neutral first segment of the path
 */
export function withDeprecatedAliases(
  operations: readonly Operation[],
  aliases: Readonly<Record<string, string>>,
): Operation[] {
  return operations.flatMap((operation) => [
    operation,
    ...Object.entries(aliases)
      .filter(([, neutral]) => operation.path.startsWith(`/${neutral}/`))
      .map(([alias, neutral]) => ({
        ...operation,
        path: `/${alias}${operation.path.slice(neutral.length + 1)}`,
      })),
  ]);
}
