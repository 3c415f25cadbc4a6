/** GET /api/openapi.json and the API reference at /api/docs; both need no token and no external resources. */
import { createHash } from 'node:crypto';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import type { PluginKind } from '../../engine/job/task-kinds.ts';
import type { Operation } from '../http/operation.ts';
import { describeApi } from './open-api.ts';

/** Content security policy of the page: its own files, and images embedded in them. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Adds the OpenAPI document of the operations and the page that renders it. */
export function addDocumentation(
  app: FastifyInstance,
  operations: readonly Operation[],
  plugins: readonly PluginKind[],
): void {
  const text = JSON.stringify(describeApi(operations, plugins));
  // Weak: the encodings of the response have the same tag.
  const tag = `W/"${createHash('sha256').update(text).digest('base64url')}"`;
  app.get('/api/openapi.json', { config: { open: true } }, async (request, reply) => {
    reply.headers({ etag: tag, 'cache-control': 'no-cache' });
    if (request.headers['if-none-match'] === tag) return reply.code(304).send();
    reply.type('application/json; charset=utf-8').serializer(String);
    return text;
  });
  // The plugin limits its hooks to the page.
  app.register(async (page) => {
    page.addHook('onRoute', (route) => {
      route.config = { ...route.config, open: true };
    });
    page.register(swagger, { mode: 'static', specification: { document: JSON.parse(text) } });
    page.register(swaggerUi, {
      routePrefix: '/api/docs',
      staticCSP: contentSecurityPolicy,
      theme: { title: 'Runyard API' },
      uiConfig: {
        layout: 'BaseLayout',
        docExpansion: 'none',
        filter: true,
        deepLinking: true,
        defaultModelsExpandDepth: 0,
        displayRequestDuration: true,
      },
    });
  });
}
