/** Schemas of the parts of a request: path, query and body. */
import { Type, type TSchema } from 'typebox';
import type { Operation } from './operation.ts';

/** Schemas by part. Exactly one of query and body is set. */
export interface RequestParts {
  readonly params?: TSchema;
  readonly querystring?: TSchema;
  readonly body?: TSchema;
}

/** Splits the `request` schema of an operation by its path and method. */
export function splitRequestSchema({
  method,
  path,
  request,
}: Pick<Operation, 'method' | 'path' | 'request'>): RequestParts {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const [params, rest] = names.length === 0 ? [undefined, request] : splitPathFields(request, names);
  return { ...(params !== undefined && { params }), [method === 'GET' ? 'querystring' : 'body']: rest };
}

function splitPathFields(schema: TSchema, names: readonly string[]): [TSchema, TSchema] {
  if (!Type.IsObject(schema))
    throw new Error('An operation with path fields needs an object schema as its request.');
  return [Type.Pick(schema, [...names]), Type.Omit(schema, [...names])];
}
