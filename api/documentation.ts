/** GET /api/openapi.json: the API described by the schemas that it is checked with. */
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { Type } from 'typebox';
import type { ApiVersion } from '../engine/job/format.ts';
import type { Operation } from './operation.ts';

const ErrorDocument = Type.Object(
  {
    error_code: Type.String({ description: 'One word for programs, e.g. INVALID_PARAMETER_VALUE.' }),
    message: Type.String({ description: 'For people: the field, what was found, what is allowed.' }),
  },
  { description: 'A refusal.' },
);

/** Refusals that any operation can answer with. */
const refusals = {
  400: 'A parameter breaks a rule, or what it names does not exist.',
  401: 'No usable credential was sent.',
  403: 'The token does not count, or lacks the scope of the operation.',
  413: 'The body is too large.',
  429: 'A limit is reached; Retry-After says when to ask again.',
  500: 'The service failed.',
  503: 'The service is not available at the moment; Retry-After says when to ask again.',
};

/** Starts to collect routes; to be called before the first operation is added. */
export function collectRoutes(app: FastifyInstance): void {
  app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Runyard', description: 'A self-hosted job execution engine.', version: '0.1.0' },
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'A personal access token.' } } },
      security: [{ token: [] }],
    },
  });
}

/** Adds the route of the document, which needs no token. */
export function addDocumentationRoute(app: FastifyInstance): void {
  app.get('/api/openapi.json', { config: { open: true }, schema: { hide: true } }, async () => app.swagger());
}

/** The schemas and words of an operation in one version, as the framework checks and documents them. */
export function routeSchema(operation: Operation, version: ApiVersion): FastifySchema {
  const { method, path, request, response, summary, description, scope } = operation;
  return {
    [method === 'GET' ? 'querystring' : 'body']: request,
    response: {
      200: response,
      ...Object.fromEntries(Object.entries(refusals).map(([status, meaning]) => [status, { ...ErrorDocument, description: meaning }])),
    },
    summary,
    description: `${description} Scope: ${scope}.`,
    tags: [path.split('/')[1] ?? ''],
    operationId: `${path.slice(1).replaceAll(/[^a-z]+/g, '_')}_${version.replace('.', '_')}`,
  };
}
