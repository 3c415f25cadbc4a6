/** Source files of the project and the modules that they import, for the tests of the architecture. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vite';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Source {
  readonly path: string;
  readonly text: string;
  /**
   * Paths of the project's own files that it names: imports, re-exports, dynamic imports, `new URL(…,
   * import.meta.url)`.
   */
  readonly uses: readonly string[];
  readonly packages: readonly string[];
}

/** Lists the files below a folder of the project, as paths from its root. */
export function filesBelow(folder: string): string[] {
  return (
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      // The packages of bench/peers, when they are installed.
      .filter((path) => !path.includes('/node_modules/'))
  );
}

/** Parses a source file. */
export function readSource(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8');
  const names = new Set<string>();
  collectNames(parseAst(text.replace(/^#!.*/, ''), { lang: path.endsWith('x') ? 'tsx' : 'ts' }), names);
  const own = [...names].filter((name) => name.startsWith('.'));
  return {
    path,
    text,
    uses: own.map((name) => relative(root, resolve(root, dirname(path), name))),
    packages: [...names].filter((name) => !name.startsWith('.') && !name.startsWith('node:')),
  };
}

/** Collects the module names of a syntax tree: imports, re-exports, and URLs relative to the file. */
function collectNames(node: unknown, names: Set<string>): void {
  if (Array.isArray(node)) return node.forEach((child) => collectNames(child, names));
  if (typeof node !== 'object' || node === null) return;
  if ('source' in node && isText(node.source)) names.add(node.source.value);
  if (
    'type' in node &&
    node.type === 'NewExpression' &&
    'arguments' in node &&
    Array.isArray(node.arguments)
  ) {
    const [first, second] = node.arguments;
    if (isText(first) && second?.type === 'MemberExpression' && second.object?.type === 'MetaProperty') {
      names.add(first.value.startsWith('.') ? first.value : `./${first.value}`);
    }
  }
  Object.values(node).forEach((child) => collectNames(child, names));
}

function isText(node: unknown): node is { value: string } {
  return typeof node === 'object' && node !== null && 'value' in node && typeof node.value === 'string';
}
