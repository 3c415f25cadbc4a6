/**
 * The description of the API (OpenAPI 3.1), made from the operations: what requests are checked with is what
 * is described.
 */
import { Type, type TSchema } from 'typebox';
import type { ApiVersion } from '../../engine/job/job-format.ts';
import type { PluginKind } from '../../engine/job/task-kinds.ts';
import type { Operation } from '../http/operation.ts';
import { splitRequestSchema } from '../http/request-parts.ts';
import type { Example } from './example.ts';
import { exampleOf } from './examples.ts';
import { createErrorResponseReferences, createErrorResponseComponents } from './error-responses.ts';
import { createSchemaNames, type SchemaNames } from './named-schemas.ts';
import { sectionOf, listSections } from './sections.ts';

const introduction = [
  'Runyard stores jobs, runs them as real processes, and keeps their logs and output.',
  'Every request carries a personal access token. Every refusal is `{error_code, message}`.',
].join('\n\n');

/**
 * The document that describes these operations in all their versions.
 * @param plugins kinds of plugins that stand in the schemas of these operations
 */
export function describeApi(
  operations: readonly Operation[],
  plugins: readonly PluginKind[] = [],
): Record<string, unknown> {
  const names = createSchemaNames(plugins);
  const paths: Record<string, Record<string, object>> = {};
  const read = new Set(operations.filter(({ method }) => method === 'GET').map(({ path }) => path));
  for (const operation of operations) {
    for (const version of operation.versions) {
      const url = `/api/${version}${operation.path.replaceAll(/:(\w+)/g, '{$1}')}`;
      paths[url] = {
        ...paths[url],
        [operation.method.toLowerCase()]: describeOperation(
          operation,
          version,
          read.has(operation.path),
          names,
        ),
      };
    }
  }
  const responses = names.withReferences(createErrorResponseComponents());
  return {
    openapi: '3.1.0',
    info: { title: 'Runyard', description: introduction, version: '0.1.0' },
    servers: [{ url: '/', description: 'This service.' }],
    tags: listSections(),
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'A personal access token.' } },
      schemas: names.components(),
      responses,
    },
  };
}

/** @param alsoRead whether a GET has the same path: then the path alone is no name for another method */
function describeOperation(
  operation: Operation,
  version: ApiVersion,
  alsoRead: boolean,
  names: SchemaNames,
): object {
  const { method, path, response, summary, headers = {}, mediaType = 'application/json' } = operation;
  const { params, querystring } = splitRequestSchema(operation);
  const example = exampleOf(operation);
  const section = sectionOf(path, version);
  return {
    operationId: `${method === 'GET' || (method === 'POST' && !alsoRead) ? '' : `${method.toLowerCase()}_`}${path.slice(1).replaceAll(/[^a-z]+/gi, '_')}_${version.replace('.', '_')}`,
    tags: section === undefined ? [] : [section],
    summary,
    description: descriptionOf(operation),
    parameters: [
      ...listParameters('path', params, example),
      ...listParameters('query', querystring, example),
    ],
    ...requestBodyOf(operation, example, names),
    responses: {
      200: {
        description: 'Done.',
        ...(Object.keys(headers).length > 0 && {
          headers: Object.fromEntries(
            Object.keys(headers).map((name) => [
              name,
              { schema: { type: 'string' }, description: 'Id of the workspace.' },
            ]),
          ),
        }),
        content: {
          [mediaType]: {
            schema: names.withReferences(toPlainJson(response)),
            ...(example !== undefined && { example: example.answer }),
          },
        },
      },
      ...createErrorResponseReferences(),
    },
  };
}

function descriptionOf({ description, scope, anyScope, adminsOnly, access }: Operation): string {
  const ofToken = `Scope: ${scope}${anyScope === true ? '; any valid token will do' : ''}.`;
  if (adminsOnly === true) return `${description} ${ofToken} For administrators.`;
  const ofCaller =
    access === undefined || access === 'everyone'
      ? ''
      : ` Under job access control: ${access.level} on the job.`;
  return `${description} ${ofToken}${ofCaller}`;
}

function listParameters(
  place: 'path' | 'query',
  schema: TSchema | undefined,
  example: Example | undefined,
): object[] {
  if (schema === undefined || !Type.IsObject(schema)) return [];
  const given = new Map<string, unknown>(Object.entries(example?.request ?? {}));
  return Object.entries(schema.properties).map(([name, property]) => {
    const { description, ...rest } = toPlainJson(property);
    return {
      name,
      in: place,
      description,
      schema: rest,
      required: place === 'path' || (schema.required ?? []).includes(name),
      ...(given.has(name) && { example: given.get(name) }),
    };
  });
}

function requestBodyOf(operation: Operation, example: Example | undefined, names: SchemaNames): object {
  const { body, params } = splitRequestSchema(operation);
  if (
    body === undefined ||
    (operation.method === 'DELETE' && Type.IsObject(body) && Object.keys(body.properties).length === 0)
  )
    return {};
  const inPath = new Set(params !== undefined && Type.IsObject(params) ? Object.keys(params.properties) : []);
  const shown = Object.fromEntries(
    Object.entries(example?.request ?? {}).filter(([name]) => !inPath.has(name)),
  );
  const schema = toPlainJson(body);
  return {
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: names.withReferences(schema),
          ...(example !== undefined && { example: shown }),
        },
        ...(operation.fileField !== undefined && {
          'multipart/form-data': { schema: withFileField(schema, operation.fileField) },
        }),
      },
    },
  };
}

/** The same fields with one of them as a file. */
function withFileField(schema: Record<string, unknown>, field: string): object {
  const file = {
    type: 'string',
    contentMediaType: 'application/octet-stream',
    description: 'The file, as it is.',
  };
  return { ...schema, properties: { ...Object(schema['properties']), [field]: file } };
}

/** A schema as it stands in JSON, without what the library remembers about it. */
function toPlainJson(schema: TSchema): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema));
}
