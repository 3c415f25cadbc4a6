/** The HTTP service: operations become routes; what all of them share is done once, here. */
import { fastify, LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { ApiVersion } from '../engine/job/format.ts';
import type { Limits } from '../engine/limits.ts';
import { authenticate, checkScope, type AuthPorts, type Caller } from './auth.ts';
import { addDocumentationRoute, collectRoutes, routeSchema } from './documentation.ts';
import { answerUnreadable, errorHandler, sendRefusal, unknownEndpoint, type IsPassing } from './error-reply.ts';
import { addHealthRoutes, type Readiness } from './health.ts';
import { addMetricsRoute, type MetricsPorts } from './metrics.ts';
import type { Operation } from './operation.ts';
import { acceptAnyJson, forgive } from './request-body.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for a route that needs no token. */
    readonly open?: boolean;
    /** Scope that a token needs for the route; without one any valid token will do. */
    readonly scope?: string;
  }
  interface FastifyRequest {
    /** Set once the token was checked; null on open routes. */
    caller: Caller | null;
  }
}

export interface AppPorts {
  readonly operations: readonly Operation[];
  readonly auth: AuthPorts;
  readonly metrics: MetricsPorts;
  /** True: /metrics needs no token. */
  readonly metricsOpen: boolean;
  readonly ready: () => Promise<Readiness>;
  /** Tells faults of the database that pass by themselves. */
  readonly isPassing: IsPassing;
  readonly limits: Pick<Limits, 'requestBytes'>;
  readonly log: FastifyBaseLogger;
}

/** Makes the service; `listen` or `inject` of the result bring it to life, `close` ends it. */
export function createApp(ports: AppPorts): FastifyInstance {
  const { requestBytes } = ports.limits;
  const onError = errorHandler(ports.isPassing, requestBytes);
  const app: FastifyInstance = fastify({
    loggerInstance: ports.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: requestBytes,
    exposeHeadRoutes: false,
    // Values are converted by api/tolerance.ts alone, and unknown fields are kept.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
    frameworkErrors: onError,
    clientErrorHandler: answerUnreadable,
  });
  app.setErrorHandler(onError);
  app.setNotFoundHandler((request, reply) => sendRefusal(unknownEndpoint(request.method, request.url), reply));
  // The default serializer would cut what a schema does not name.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  acceptAnyJson(app);
  addAuthentication(app, ports.auth);
  collectRoutes(app);
  // A plugin of its own, so that the collector of the documentation is there before the first route.
  app.register(async (routes) => {
    addHealthRoutes(routes, ports.ready);
    addMetricsRoute(routes, ports.metrics, ports.metricsOpen);
    addDocumentationRoute(routes);
    // Clients probe for service documents before their first call; without one they go on with their token.
    routes.get('/.well-known/*', { config: { open: true }, schema: { hide: true } },
      (request, reply) => sendRefusal(unknownEndpoint(request.method, request.url), reply));
    for (const operation of ports.operations) {
      for (const version of operation.versions) addOperation(routes, operation, version);
    }
  });
  return app;
}

/** Checks the token before anything else is read of a request; paths that do not exist are told only to known callers. */
function addAuthentication(app: FastifyInstance, auth: AuthPorts): void {
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request) => {
    const { open = false, scope } = request.routeOptions.config;
    if (open) return;
    const caller = await authenticate(request.headers.authorization, auth);
    if (scope !== undefined) checkScope(caller, scope);
    request.caller = caller;
  });
}

function addOperation(app: FastifyInstance, operation: Operation, version: ApiVersion): void {
  const { method, path, scope } = operation;
  app.route({
    method,
    url: `/api/${version}${path}`,
    config: { scope },
    schema: routeSchema(operation, version),
    preValidation: async (request) => forgive(request, operation),
    handler: async (request) => {
      const { caller } = request;
      if (caller === null) throw new Error(`${method} ${path} was reached without a caller.`);
      return operation.handle(method === 'GET' ? request.query : request.body, { version, caller });
    },
  });
}
