/** Reads facts that exist in the source text only: constants that are not exported, and comments. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/** Returns the text of a project file. */
export function readSource(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8');
}

/**
 * Returns the value of a numeric constant that a file declares, whether it exports it or not.
 * @throws Error when the file does not declare it as an arithmetic expression of numbers
 */
export function readConstant(path: string, name: string): number {
  const source = readSource(path);
  const value = evaluateConstant(source, name);
  if (value === undefined) throw new Error(`${path} declares no numeric constant ${name}.`);
  return value;
}

/** Replaces names of other constants of the same file, then multiplies and raises to powers. */
function evaluateConstant(source: string, name: string): number | undefined {
  const [, expression] = new RegExp(`const ${name} = ([^;]+);`).exec(source) ?? [];
  if (expression === undefined) return undefined;
  const factors = expression.split(/\s\*\s/).map((factor) => {
    const [base = '', exponent = '1'] = factor.trim().split(/\s*\*\*\s*/);
    const number = /^[\d_.]+$/.test(base) ? Number(base.replaceAll('_', '')) : evaluateConstant(source, base);
    return number === undefined ? undefined : number ** Number(exponent);
  });
  return factors.reduce((product, factor) =>
    product === undefined || factor === undefined ? undefined : product * factor,
  );
}

/** Returns the doc comment directly before each `name:` line of an object literal; '' where there is none. */
export function readPropertyComments(path: string, object: string): Map<string, string> {
  const [, body = ''] = new RegExp(`const ${object} = \\{\\n([\\s\\S]*?)\\n\\}`).exec(readSource(path)) ?? [];
  const comments = new Map<string, string>();
  for (const [, comment = '', name = ''] of body.matchAll(/(?:^ {2}\/\*\*([\s\S]*?)\*\/\n)?^ {2}(\w+): /gm)) {
    comments.set(name, comment.replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim());
  }
  return comments;
}
