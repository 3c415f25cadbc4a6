/** `import` in JavaScript notebooks: modules of the notebook's folder, of Node, and of installed packages. */
import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { codeOf } from '../../../engine/errors.ts';

/** Global function that replaces imports, because the inspector supports none. */
export const importer = {
  name: '$runyardImport',
  from(folder: string): (specifier: unknown, options?: ImportCallOptions) => Promise<unknown> {
    const require = createRequire(join(folder, 'notebook.js'));
    return (specifier, options) => import(resolveSpecifier(String(specifier), require), options);
  },
};

function resolveSpecifier(specifier: string, require: NodeJS.Require): string {
  if (isBuiltin(specifier) || /^(?:file|data):/.test(specifier)) return specifier;
  const path = resolveModule(specifier, require);
  if (path !== undefined) return pathToFileURL(path).href;
  throw new Error(
    `Cannot find the module ${JSON.stringify(specifier)}. Relative paths are resolved from the notebook's folder, other names in node_modules there and above.`,
  );
}

function resolveModule(specifier: string, require: NodeJS.Require): string | undefined {
  try {
    return require.resolve(specifier);
  } catch (error) {
    if (codeOf(error) === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

interface SourceEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface AstNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Replaces the imports of a cell by calls of `importer`. Line numbers do not change. */
export async function rewriteImports(source: string): Promise<string> {
  if (!/\bimport\b/.test(source)) return source;
  const edits = await findImportEdits(source);
  return edits
    .toSorted((one, other) => other.start - one.start)
    .reduce(
      (text, { start, end, text: replacement }) => text.slice(0, start) + replacement + text.slice(end),
      source,
    );
}

async function findImportEdits(source: string): Promise<SourceEdit[]> {
  // Loaded only for cells with imports, because loading takes longer than most cells.
  const { parseAst } = await import('vite');
  const edits: SourceEdit[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isNode(value)) return;
    if (value.type === 'ImportExpression')
      edits.push({ start: value.start, end: value.start + 'import'.length, text: importer.name });
    if (value.type === 'ImportDeclaration') edits.push(rewriteDeclaration(value, source));
    else Object.values(value).forEach(visit);
  };
  try {
    visit(parseAst(source, { lang: 'js' }));
    return edits;
  } catch {
    // The code may still be a valid script; otherwise running it reports the syntax error.
    return [];
  }
}

/**
 * Rewrites `import a, { b as c } from 'x'` to `const { default: a, b: c } = await …('x')`; keeps line
 * numbers.
 */
function rewriteDeclaration(node: AstNode, source: string): SourceEdit {
  const specifiers = toNodes(node['specifiers']);
  const [from] = toNodes([node['source']]);
  const attributes = toNodes(node['attributes'])
    .map((each) => source.slice(each.start, each.end))
    .join(', ');
  const module = `await ${importer.name}(${source.slice(from?.start, from?.end)}${attributes === '' ? '' : `, { with: { ${attributes} } }`})`;
  const whole = specifiers.find(({ type }) => type === 'ImportNamespaceSpecifier');
  const named = specifiers
    .filter((each) => each !== whole)
    .map((each) => `${importedNameOf(each, source)}: ${localNameOf(each, source)}`);
  const space = whole === undefined ? undefined : localNameOf(whole, source);
  const text =
    space === undefined
      ? `${named.length === 0 ? '' : `const { ${named.join(', ')} } = `}${module};`
      : `const ${space} = ${module}${named.length === 0 ? '' : `, { ${named.join(', ')} } = ${space}`};`;
  return {
    start: node.start,
    end: node.end,
    text: text + '\n'.repeat(source.slice(node.start, node.end).split('\n').length - 1),
  };
}

function importedNameOf(node: AstNode, source: string): string {
  const [imported] = toNodes([node['imported']]);
  return imported === undefined ? 'default' : source.slice(imported.start, imported.end);
}

function localNameOf(node: AstNode, source: string): string {
  const [name] = toNodes([node['local']]);
  return source.slice(name?.start, name?.end);
}

function toNodes(value: unknown): AstNode[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function isNode(value: unknown): value is AstNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
