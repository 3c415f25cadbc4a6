/** The OpenAPI document of the built-in operations, without a running service. */
import { createAllOperations } from '../../api/http/operations.ts';
import { describeApi } from '../../api/documentation/open-api.ts';
import { defaultLimits } from '../../engine/limits.ts';

/** JSON schema as the document holds it; only the keywords that the reference pages read. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly description?: string;
  readonly schema: Schema;
  readonly required: boolean;
}

export interface DescribedOperation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

export interface ApiDocument {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Builds the document. Operations are created but never called, so their ports are placeholders. */
export function buildApiDocument(): ApiDocument {
  return JSON.parse(JSON.stringify(describeApi(createAllOperations(createPlaceholderPorts()))));
}

/** Returns an object of which every property is such an object again; only the limits are real. */
function createPlaceholderPorts(): Parameters<typeof createAllOperations>[0] {
  const ports = new Proxy(Object.create(null), {
    get: (_target, name) => (name === 'limits' ? defaultLimits : ports),
  });
  return ports;
}
