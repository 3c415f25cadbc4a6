/** Fields of the vendor's current API, from the type declarations of its TypeScript SDK. */
import { parseAst } from 'vite';
import { readSource } from '../../../docs/generator/source-text.ts';

const directory = 'node_modules/@databricks/sdk-experimental/dist/apis';

/** Field of a declared interface. */
export interface SdkField {
  readonly name: string;
  /** Name of the interface that its value, its entries or its list elements have; undefined for others. */
  readonly type: string | undefined;
}

type Node = Readonly<Record<string, unknown>>;

/** Returns the fields of all interfaces of a module by the name of the interface. */
export function readSdkInterfaces(
  module: 'jobs' | 'compute' | 'pipelines',
): ReadonlyMap<string, readonly SdkField[]> {
  const { body } = parseAst(readSource(`${directory}/${module}/model.d.ts`), { lang: 'dts' });
  return new Map(
    body.flatMap((statement) => {
      const declaration = toNode(toNode(statement)['declaration']);
      if (declaration['type'] !== 'TSInterfaceDeclaration') return [];
      const members = toNode(declaration['body'])['body'];
      return [[nameOf(declaration['id']), Array.isArray(members) ? members.map(toField) : []] as const];
    }),
  );
}

function toField(member: unknown): SdkField {
  const { key, typeAnnotation } = toNode(member);
  return { name: nameOf(key), type: findTypeName(toNode(typeAnnotation)['typeAnnotation']) };
}

/** Returns the last named type of `T`, `Array<T>` or `Record<string, T>`. */
function findTypeName(annotation: unknown): string | undefined {
  const { type, typeName, typeArguments } = toNode(annotation);
  if (type !== 'TSTypeReference') return undefined;
  const parameters = toNode(typeArguments)['params'];
  if (Array.isArray(parameters)) return findTypeName(parameters.at(-1));
  const right = toNode(typeName)['right'];
  return nameOf(right ?? typeName);
}

/** Returns the name of an identifier, or the text of a quoted one. */
function nameOf(identifier: unknown): string {
  const { name: plain, value } = toNode(identifier);
  const name = plain ?? value;
  if (typeof name !== 'string') throw new Error('The declaration has no name.');
  return name;
}

function toNode(value: unknown): Node {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
