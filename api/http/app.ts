/** The HTTP service: operations become routes; what all of them share is done once, here. */
import {
  fastify,
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { ApiVersion } from '../../engine/job/job-format.ts';
import type { PluginKind } from '../../engine/job/task-kinds.ts';
import type { Limits } from '../../engine/limits.ts';
import type { PermissionReader } from '../../engine/ports/engine.ts';
import type { AuditEvent } from '../../engine/token/audit.ts';
import type { Scope } from '../../engine/token/scopes.ts';
import { checkAccess, checkAdminsOnly, restrictedUserOf, findOperationsWithoutAccess } from './access.ts';
import { addAuditTrail, auditTrailOf } from './audit-trail.ts';
import { createAuthenticator, type AuthPorts, type Caller } from './auth.ts';
import { addConsole } from './console.ts';
import { addDocumentation } from '../documentation/routes.ts';
import {
  answerMalformedRequest,
  createErrorHandler,
  sendErrorResponse,
  endpointNotFound,
  type IsTransientError,
} from './error-response.ts';
import { addHealthRoutes, type Readiness } from './health-routes.ts';
import { addMetricsRoute, type MetricsPorts } from './metrics-route.ts';
import type { Operation } from './operation.ts';
import { registerBodyParsers, coerceRequest, readInput } from './request-body.ts';
import { addPluginKindsToOperations } from './plugin-schemas.ts';
import { splitRequestSchema } from './request-parts.ts';
import { securityHeaders, tlsHeaders } from './security-headers.ts';
import { serverOptions, type NetworkOptions } from './server-options.ts';
import { StreamedResponse } from './streamed-response.ts';
import { createLazyValidatorCompiler } from './lazy-validation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for a route that needs no token. */
    readonly open?: boolean;
    /** Scope that a token needs for the route; without one any valid token will do. */
    readonly scope?: Scope;
    /** True: any scope will do. */
    readonly anyScope?: boolean;
    /** Method and path without its version, of an operation that changes something. */
    readonly action?: string;
    /** Field that may come as the file of a form; without one the route takes no form. */
    readonly fileField?: string;
  }
  interface FastifyRequest {
    /** Set once the token was checked; null on open routes. */
    caller: Caller | null;
  }
}

export interface AppPorts extends NetworkOptions {
  readonly operations: readonly Operation[];
  /** Task kinds of plugins: the operations take and describe them like the built-in ones. */
  readonly plugins?: readonly PluginKind[];
  readonly auth: AuthPorts;
  /** Who may do what with which job; undefined while job access control is off. */
  readonly permissions?: PermissionReader | undefined;
  readonly metrics: MetricsPorts;
  /** Where the console is built; undefined: the service has no pages. */
  readonly consoleDirectory?: string | undefined;
  /** True: /metrics needs no token. */
  readonly metricsOpen: boolean;
  readonly checkReadiness: () => Promise<Readiness>;
  /** Tells faults of the database that pass by themselves. */
  readonly isTransientError: IsTransientError;
  readonly limits: Pick<
    Limits,
    | 'requestBytes'
    | 'requestHeadSeconds'
    | 'requestSeconds'
    | 'requestsPerSecondPerToken'
    | 'failedCredentialsPerMinute'
  >;
  /** Keeps an entry of the audit log. */
  readonly audit: (event: AuditEvent) => void;
  readonly log: FastifyBaseLogger;
}

/** Makes the service; `listen` or `inject` of the result bring it to life, `close` ends it. */
export function createApp(ports: AppPorts): FastifyInstance {
  const [open] = ports.permissions === undefined ? [] : findOperationsWithoutAccess(ports.operations);
  if (open !== undefined) throw new Error(`${open.method} ${open.path} does not say what it needs on a job.`);
  const { requestBytes } = ports.limits;
  const onError = createErrorHandler(ports.isTransientError, requestBytes);
  const app: FastifyInstance = fastify({
    loggerInstance: ports.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: requestBytes,
    exposeHeadRoutes: false,
    ...serverOptions(ports),
    // No hook has seen such a request.
    frameworkErrors: (error, request, reply) => onError(error, request, reply.headers(securityHeaders)),
    clientErrorHandler: answerMalformedRequest,
  });
  app.setErrorHandler(onError);
  app.setNotFoundHandler((request, reply) =>
    sendErrorResponse(endpointNotFound(request.method, request.url), reply),
  );
  app.setValidatorCompiler(createLazyValidatorCompiler());
  // The default serializer would cut what a schema does not name.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  // Whoever expects more than to be told to continue gets what everybody gets, instead of a 417 without a
  // word.
  app.server.on('checkExpectation', app.routing);
  registerBodyParsers(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(request.protocol === 'https' ? { ...securityHeaders, ...tlsHeaders } : securityHeaders);
  });
  addAuthentication(app, ports);
  addAuditTrail(app, ports.audit, ports.auth.clock);
  app.addHook('onSend', async (request, _reply, payload) => {
    const { action, scope } = request.routeOptions.config;
    // Before the answer: whoever has it may count on the change.
    if (action !== undefined && scope !== undefined && accessChangingScopes.has(scope))
      ports.auth.tokens.changed?.();
    return payload;
  });
  const closing = new AbortController();
  // Before open connections are waited for: a log may be followed for hours.
  app.addHook('preClose', async () => {
    closing.abort();
    // Whoever holds a connection without asking for anything, or reads too slowly, would hold up the stop.
    setTimeout(() => app.server.closeAllConnections(), closeGraceMs).unref();
  });
  app.register(async (routes) => {
    addHealthRoutes(routes, ports.checkReadiness);
    addMetricsRoute(routes, ports.metrics, ports.metricsOpen);
    const plugins = ports.plugins ?? [];
    const operations = addPluginKindsToOperations(ports.operations, plugins);
    addDocumentation(routes, operations, plugins);
    if (ports.consoleDirectory !== undefined) addConsole(routes, ports.consoleDirectory);
    // Clients probe for service documents before their first call; without one they go on with their token.
    routes.get('/.well-known/*', { config: { open: true } }, (request, reply) =>
      sendErrorResponse(endpointNotFound(request.method, request.url), reply),
    );
    for (const operation of operations) {
      for (const version of operation.versions)
        addOperation(routes, operation, version, { permissions: ports.permissions, closing: closing.signal });
    }
  });
  return app;
}

/** How long answers that are under way when the service stops may take, ms. */
const closeGraceMs = 3_000;

/** Scopes of the operations that change who may do what. */
const accessChangingScopes: ReadonlySet<Scope> = new Set([
  'access-management',
  'authentication',
  'scim',
  'settings',
]);

/**
 * Checks the token before anything else is read of a request; paths that do not exist are told only to known
 * callers.
 */
function addAuthentication(app: FastifyInstance, { auth, limits }: AppPorts): void {
  const { authenticate, authorize } = createAuthenticator(auth, limits);
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request) => {
    const { open = false, scope, anyScope = false } = request.routeOptions.config;
    if (open) return;
    const token = await authenticate({ header: request.headers.authorization, ip: request.ip });
    const { principalId, userName, admin, tokenId, scopes } = token;
    request.caller = { principalId, userName, admin, tokenId, scopes };
    authorize(token, { scope, anyScope });
  });
}

/** What handlers know beside the request. */
interface RouteContext {
  readonly permissions: PermissionReader | undefined;
  readonly closing: AbortSignal;
}

function addOperation(
  app: FastifyInstance,
  operation: Operation,
  version: ApiVersion,
  { permissions, closing }: RouteContext,
): void {
  const { method, path, scope, anyScope = false, adminsOnly, access, fileField, headers = {} } = operation;
  const parts = splitRequestSchema(operation);
  app.route({
    method,
    url: `/api/${version}${path}`,
    config: {
      scope,
      anyScope,
      ...(method !== 'GET' && { action: `${method} ${path}` }),
      ...(fileField !== undefined && { fileField }),
    },
    schema: parts,
    preValidation: async (request) => coerceRequest(request, parts),
    handler: async (request, reply) => {
      const { caller } = request;
      if (caller === null) throw new Error(`${method} ${path} was reached without a caller.`);
      const input = readInput(request, parts);
      const trail = auditTrailOf(request);
      trail.setInput(input);
      checkAdminsOnly(adminsOnly, caller);
      await checkAccess(permissions, access, input, caller);
      reply.headers(headers);
      const answer = await operation.handle(input, {
        version,
        caller,
        visibleTo: restrictedUserOf(permissions, caller),
        log: request.log,
        recordChange: trail.setChange,
        disconnectSignal: abortOnDisconnect(reply),
        shutdownSignal: closing,
        lastEventId: lastEventIdOf(request),
      });
      // Its connection is not kept for another request: a service that stops would wait for that.
      if (answer instanceof StreamedResponse)
        return reply.headers({ ...answer.headers, connection: 'close' }).send(answer.stream);
      trail.setResponse(answer);
      return answer;
    },
  });
}

/** The header by which a receiver of events says what it had last; anything but a number is none of ours. */
function lastEventIdOf({ headers }: FastifyRequest): number | undefined {
  const id = headers['last-event-id'];
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

/** Aborts when the connection ends before the answer is on its way. */
function abortOnDisconnect({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
