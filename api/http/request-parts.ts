/**
 * Where the input of an operation stands in a request: path, query or body, each with its part of the schema.
 */
import { Type, type TSchema } from 'typebox';
import type { Operation } from './operation.ts';

/** Schemas of the parts; one of query and body is always there. */
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
    throw new Error('An operation with fields in its path needs an object for its request.');
  return [Type.Pick(schema, [...names]), Type.Omit(schema, [...names])];
}
