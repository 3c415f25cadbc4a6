/** Schemas of the parts of a request: path, query and body. */
import { Type, type TSchema } from 'typebox';
import type { Operation } from './operation.ts';

/** Schemas by part. Exactly one of query and body is set. */
export interface RequestParts {
  readonly params?: TSchema;
  /** Path field that has all remaining segments. */
  readonly tail?: string;
  readonly querystring?: TSchema;
  readonly body?: TSchema;
}

/** Matches the fields of a path: `:job_id` is one segment, `:file_path*` all remaining ones. */
export const pathFields = /:(\w+)\*?/g;

/** Splits the `request` schema of an operation by its path and method. */
export function splitRequestSchema({
  method,
  path,
  request,
  fileBody,
}: Pick<Operation, 'method' | 'path' | 'request' | 'fileBody'>): RequestParts {
  const names = [...path.matchAll(pathFields)].map(([, name = '']) => name);
  const [params, rest] = names.length === 0 ? [undefined, request] : splitPathFields(request, names);
  const inQuery = method === 'GET' || method === 'HEAD' || fileBody === true;
  const tail = /:(\w+)\*$/.exec(path)?.[1];
  return {
    ...(params !== undefined && { params }),
    ...(tail !== undefined && { tail }),
    [inQuery ? 'querystring' : 'body']: rest,
  };
}

function splitPathFields(schema: TSchema, names: readonly string[]): [TSchema, TSchema] {
  if (!Type.IsObject(schema))
    throw new Error('An operation with path fields needs an object schema as its request.');
  return [Type.Pick(schema, [...names]), Type.Omit(schema, [...names])];
}
