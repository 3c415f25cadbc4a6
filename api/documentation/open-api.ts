/** OpenAPI 3.1 document of the operations; requests are validated by the same schemas. */
import { Type, type TSchema } from 'typebox';
import type { ApiVersion } from '../../engine/job/job-format.ts';
import type { PluginKind } from '../../engine/job/task-kinds.ts';
import type { Operation } from '../http/operation.ts';
import { pathFields, splitRequestSchema } from '../http/request-parts.ts';
import type { Example } from './example.ts';
import { exampleOf } from './examples.ts';
import { createErrorResponseReferences, createErrorResponseComponents } from './error-responses.ts';
import { createSchemaNames, type SchemaNames } from './named-schemas.ts';
import { sectionOf, listSections } from './sections.ts';

const introduction = [
  'Runyard stores jobs, runs them as processes, and keeps their logs and output.',
  'Every request needs a personal access token. Error responses have the form `{error_code, message}`.',
].join('\n\n');

/**
 * Returns the OpenAPI document of the operations in all their versions.
 * @param plugins task kinds of plugins in the schemas of the operations
 */
export function describeApi(
  operations: readonly Operation[],
  plugins: readonly PluginKind[] = [],
): Record<string, unknown> {
  const names = createSchemaNames(plugins);
  const paths: Record<string, Record<string, object>> = {};
  const getPaths = new Set(operations.filter(({ method }) => method === 'GET').map(({ path }) => path));
  for (const operation of operations) {
    for (const version of operation.versions) {
      const url = `/api/${version}${operation.path.replaceAll(pathFields, '{$1}')}`;
      paths[url] = {
        ...paths[url],
        [operation.method.toLowerCase()]: describeOperation(
          operation,
          version,
          getPaths.has(operation.path),
          names,
        ),
      };
    }
  }
  const responses = names.withReferences(createErrorResponseComponents());
  return {
    openapi: '3.1.0',
    info: { title: 'Runyard', description: introduction, version: '0.1.0' },
    servers: [{ url: '/', description: 'This service' }],
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

/** @param hasGet true if a GET operation has the same path; the operationId then contains the method */
function describeOperation(
  operation: Operation,
  version: ApiVersion,
  hasGet: boolean,
  names: SchemaNames,
): object {
  const { method, path, response, summary, headers = {}, mediaType = 'application/json' } = operation;
  const { params, querystring } = splitRequestSchema(operation);
  const example = exampleOf(operation);
  const section = sectionOf(path, version);
  return {
    operationId: `${method === 'GET' || (method === 'POST' && !hasGet) ? '' : `${method.toLowerCase()}_`}${path.slice(1).replaceAll(/[^a-z]+/gi, '_')}_${version.replace('.', '_')}`,
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
        description: 'Success.',
        ...(Object.keys(headers).length > 0 && {
          headers: Object.fromEntries(
            Object.keys(headers).map((name) => [
              name,
              { schema: { type: 'string' }, description: 'Id of the workspace.' },
            ]),
          ),
        }),
        ...(method !== 'HEAD' && {
          content: {
            [mediaType]: {
              schema: names.withReferences(toPlainJson(response)),
              ...(example !== undefined && { example: example.answer }),
            },
          },
        }),
      },
      ...createErrorResponseReferences(),
    },
  };
}

function descriptionOf({ description, scope, anyScope, adminsOnly, access }: Operation): string {
  const scopeText = `Scope: ${scope}${anyScope === true ? '; any valid token is accepted' : ''}.`;
  if (adminsOnly === true) return `${description} ${scopeText} For administrators.`;
  const permissionText =
    access === undefined || access === 'everyone'
      ? ''
      : ` Under job access control: ${access.level} on the job.`;
  return `${description} ${scopeText}${permissionText}`;
}

function listParameters(
  location: 'path' | 'query',
  schema: TSchema | undefined,
  example: Example | undefined,
): object[] {
  if (schema === undefined || !Type.IsObject(schema)) return [];
  const exampleValues = new Map<string, unknown>(Object.entries(example?.request ?? {}));
  return Object.entries(schema.properties).map(([name, property]) => {
    const { description, ...rest } = toPlainJson(property);
    return {
      name,
      in: location,
      description,
      schema: rest,
      required: location === 'path' || (schema.required ?? []).includes(name),
      ...(exampleValues.has(name) && { example: exampleValues.get(name) }),
    };
  });
}

function requestBodyOf(operation: Operation, example: Example | undefined, names: SchemaNames): object {
  const { body, params } = splitRequestSchema(operation);
  if (operation.fileBody === true) return { requestBody: { required: true, content: fileContent } };
  const mayBeAbsent = operation.method === 'DELETE' || operation.method === 'PUT';
  if (body === undefined || (mayBeAbsent && Type.IsObject(body) && Object.keys(body.properties).length === 0))
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

const fileSchema = {
  type: 'string',
  contentMediaType: 'application/octet-stream',
  description: 'Unencoded contents of the file.',
};

const fileContent = { 'application/octet-stream': { schema: fileSchema } };

/** Returns the schema with one field as a file. */
function withFileField(schema: Record<string, unknown>, field: string): object {
  return { ...schema, properties: { ...Object(schema['properties']), [field]: fileSchema } };
}

/** Returns a schema as plain JSON, without the symbols of the schema library. */
function toPlainJson(schema: TSchema): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema));
}
