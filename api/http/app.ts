/** The HTTP service: turns operations into routes and adds authentication, audit log and error handling. */
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
import type { WorkspaceInfo } from '../../engine/run/workspace-info.ts';
import type { PermissionReader } from '../../engine/ports/permissions.ts';
import type { AuditEvent } from '../../engine/token/audit.ts';
import type { Scope } from '../../engine/token/scopes.ts';
import { checkAccess, checkAdminsOnly, restrictedUserOf, findOperationsWithoutAccess } from './access.ts';
import { addAuditTrail, auditTrailOf } from './audit-trail.ts';
import { quote } from '../../engine/validation/messages.ts';
import type { StoredToken } from '../../engine/token/token.ts';
import { createAuthenticator, type AuthPorts, type Caller } from './auth.ts';
import { addCompression } from './compression.ts';
import { addConsole } from './console.ts';
import { addDocumentation } from '../documentation/routes.ts';
import {
  answerMalformedRequest,
  createErrorHandler,
  sendErrorResponse,
  endpointNotFound,
  type ChangeTracking,
  type IsTransientError,
} from './error-response.ts';
import { addDiscoveryRoutes } from './discovery-routes.ts';
import { addHealthRoutes, type Readiness } from './health-routes.ts';
import { addSparkPages, type SparkPagePorts } from './spark-pages-route.ts';
import { addMetricsRoute, type MetricsPorts } from './metrics-route.ts';
import { addLoadLimit } from './load-limit.ts';
import type { Operation, RequestContext } from './operation.ts';
import { addWithBodyParser, registerBodyParsers, coerceRequest, readInput } from './request-body.ts';
import { addPluginKindsToOperations } from './plugin-schemas.ts';
import { splitRequestSchema } from './request-parts.ts';
import { securityHeaders, tlsHeaders } from './security-headers.ts';
import { serverOptions, type NetworkOptions } from './server-options.ts';
import { isContents, sendContents } from './streamed-response.ts';
import { createLazyValidatorCompiler } from './lazy-validation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for a route that needs no token. Default: false. */
    readonly open?: boolean;
    /** Scope that a token needs for the route. Undefined: any valid token is accepted. */
    readonly scope?: Scope;
    /** True: tokens of any scope are accepted. */
    readonly anyScope?: boolean;
    /** Method and path without the version; set for operations that change something. */
    readonly action?: string;
    /** Field that a multipart form may carry as a file. Undefined: the route accepts no forms. */
    readonly fileField?: string;
  }
  interface FastifyRequest {
    /** Set after authentication; null on open routes. */
    caller: Caller | null;
  }
}

export interface AppPorts extends NetworkOptions {
  readonly operations: readonly Operation[];
  /** Task kinds of plugins; operations accept and document them like the built-in kinds. */
  readonly plugins?: readonly PluginKind[];
  readonly auth: AuthPorts;
  /** Permissions on jobs; undefined while job access control is off. */
  readonly permissions?: PermissionReader | undefined;
  readonly metrics: MetricsPorts;
  /** Address and id that clients discover. */
  readonly workspace: WorkspaceInfo;
  /** Spark's own pages. Undefined: the service shows none. */
  readonly sparkPages?: SparkPagePorts | undefined;
  /** Directory of the built console. Undefined: the service has no pages. */
  readonly consoleDirectory?: string | undefined;
  /** True: /metrics needs no token. */
  readonly metricsOpen: boolean;
  readonly checkReadiness: () => Promise<Readiness>;
  /** Recognizes transient database errors. */
  readonly isTransientError: IsTransientError;
  /** Undefined: a request that fails has changed nothing. */
  readonly changes?: ChangeTracking | undefined;
  readonly limits: Pick<
    Limits,
    | 'requestBytes'
    | 'requestHeadSeconds'
    | 'requestSeconds'
    | 'requestsUnderWay'
    | 'requestsPerSecondPerToken'
    | 'failedCredentialsPerMinute'
  >;
  /** Stores an entry of the audit log. */
  readonly audit: (event: AuditEvent) => void;
  readonly log: FastifyBaseLogger;
}

/** Creates the service. `listen` or `inject` of the result start it, `close` stops it gracefully. */
export function createApp(ports: AppPorts): FastifyInstance {
  const [open] = ports.permissions === undefined ? [] : findOperationsWithoutAccess(ports.operations);
  if (open !== undefined) throw new Error(`${open.method} ${open.path} declares no access level.`);
  const { requestBytes } = ports.limits;
  const { isTransientError, changes } = ports;
  const onError = createErrorHandler({ isTransientError, changes, requestBytes });
  const app: FastifyInstance = fastify({
    loggerInstance: ports.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: requestBytes,
    exposeHeadRoutes: false,
    ...serverOptions(ports),
    // No hook runs for such a request, so the headers are added here.
    frameworkErrors: (error, request, reply) => onError(error, request, reply.headers(securityHeaders)),
    clientErrorHandler: answerMalformedRequest,
  });
  app.setErrorHandler(onError);
  app.setNotFoundHandler((request, reply) =>
    sendErrorResponse(endpointNotFound(request.method, request.url), reply),
  );
  app.setValidatorCompiler(createLazyValidatorCompiler());
  // The default serializer drops fields that a schema does not name.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  // Requests with an unknown Expect header are routed as usual instead of being answered with an empty 417.
  app.server.on('checkExpectation', app.routing);
  registerBodyParsers(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(request.protocol === 'https' ? { ...securityHeaders, ...tlsHeaders } : securityHeaders);
  });
  addLoadLimit(app, ports.limits);
  addAuthentication(app, ports);
  addAuditTrail(app, ports.audit, ports.auth.clock);
  addTokenCacheInvalidation(app, ports.auth);
  addCompression(app);
  const shutdownSignal = addGracefulShutdown(app);
  app.register(async (routes) => addRoutes(routes, ports, shutdownSignal));
  return app;
}

/** Grace period of open responses when the service stops, ms. */
const closeGraceMs = 3_000;

/** Aborts streams and closes idle or slow connections when the service stops; returns the abort signal. */
function addGracefulShutdown(app: FastifyInstance): AbortSignal {
  const closing = new AbortController();
  // preClose runs before the server waits for open connections; a log may be followed for hours.
  app.addHook('preClose', async () => {
    closing.abort();
    // Idle keep-alive connections and slow readers would delay the stop.
    setTimeout(() => app.server.closeAllConnections(), closeGraceMs).unref();
  });
  return closing.signal;
}

/** Clears cached tokens when a call may have changed access, before the client sees the response. */
function addTokenCacheInvalidation(app: FastifyInstance, { tokens }: AuthPorts): void {
  app.addHook('onSend', async (request, _reply, payload) => {
    const { action, scope } = request.routeOptions.config;
    if (action !== undefined && scope !== undefined && accessChangingScopes.has(scope)) tokens.changed?.();
    return payload;
  });
}

function addRoutes(routes: FastifyInstance, ports: AppPorts, shutdownSignal: AbortSignal): void {
  addHealthRoutes(routes, ports.checkReadiness);
  addMetricsRoute(routes, ports.metrics, ports.metricsOpen);
  const plugins = ports.plugins ?? [];
  const operations = addPluginKindsToOperations(ports.operations, plugins);
  addDocumentation(routes, operations, plugins);
  if (ports.consoleDirectory !== undefined) addConsole(routes, ports.consoleDirectory);
  if (ports.sparkPages !== undefined) addSparkPages(routes, ports.sparkPages);
  addDiscoveryRoutes(routes, ports.workspace);
  for (const operation of operations) {
    for (const version of operation.versions)
      addWithBodyParser(routes, operation, (target) =>
        addOperation(target, operation, version, { ...ports, shutdownSignal }),
      );
  }
}

/** Scopes of the operations that change tokens, users or permissions. */
const accessChangingScopes: ReadonlySet<Scope> = new Set([
  'access-management',
  'authentication',
  'scim',
  'settings',
]);

/**
 * Authenticates every request before anything else is read of it; unknown callers get no 404 for a path, known
 * ones get it before the body is read.
 */
function addAuthentication(app: FastifyInstance, { auth, limits }: AppPorts): void {
  const { authenticate, authorize } = createAuthenticator(auth, limits);
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request) => {
    const { open = false, scope, anyScope = false } = request.routeOptions.config;
    if (open) return;
    const token = await authenticate({ header: request.headers.authorization, ip: request.ip });
    const { principalId, userName, admin, tokenId, scopes } = token;
    const through = describeClient(request.headers['x-runyard-client'], token);
    request.caller = { principalId, userName, admin, tokenId, scopes, through };
    authorize(token, { scope, anyScope });
    // Thrown here because the handler of unknown paths runs only after the body was read and parsed.
    if (request.is404) throw endpointNotFound(request.method, request.url);
  });
}

/** Returns what a request came through, for messages about who did something. */
function describeClient(client: unknown, { comment = '', tokenId }: StoredToken): string {
  if (client === 'console') return 'the console';
  return `the token ${comment === '' ? tokenId.slice(0, 12) : quote(comment)}`;
}

/** Context of the routes of all operations. */
interface RouteContext {
  readonly permissions?: PermissionReader | undefined;
  readonly shutdownSignal: AbortSignal;
  readonly changes?: ChangeTracking | undefined;
}

function addOperation(
  app: FastifyInstance,
  operation: Operation,
  version: ApiVersion,
  { permissions, shutdownSignal, changes }: RouteContext,
): void {
  const { method, path, scope, anyScope = false, adminsOnly, access, fileField, headers = {} } = operation;
  const parts = splitRequestSchema(operation);
  app.route({
    method,
    url: `/api/${version}${path.replace(/:\w+\*$/, '*')}`,
    config: {
      scope,
      anyScope,
      ...(method !== 'GET' && method !== 'HEAD' && { action: `${method} ${path}` }),
      ...(fileField !== undefined && { fileField }),
    },
    schema: parts,
    preValidation: async (request) => coerceRequest(request, parts, operation.complete),
    handler: async (request, reply) => {
      const { caller } = request;
      if (caller === null) throw new Error(`${method} ${path} has no authenticated caller.`);
      const input = readInput(request, parts);
      const trail = auditTrailOf(request);
      trail.setInput(input);
      checkAdminsOnly(adminsOnly, caller);
      await checkAccess(permissions, access, input, caller);
      reply.headers(headers);
      const context = {
        version,
        caller,
        visibleTo: restrictedUserOf(permissions, caller),
        log: request.log,
        warn: (text: string) => addWarning(reply, text),
        recordChange: trail.setChange,
        disconnectSignal: abortOnDisconnect(reply),
        shutdownSignal,
        lastEventId: lastEventIdOf(request),
        body: request.raw,
        download: downloadHeadersOf(request),
      };
      const handle = async () => operation.handle(input, context);
      const answer = await (method === 'GET' || changes === undefined ? handle() : changes.track(handle));
      if (isContents(answer)) return sendContents(reply, answer);
      trail.setResponse(answer);
      return answer;
    },
  });
}

/** Adds a Warning header (code 299, a persistent warning); headers hold ASCII only. */
function addWarning(reply: FastifyReply, text: string): void {
  const ascii = text.replaceAll(/[^\x20-\x7e]/g, '?').replaceAll(/["\\]/g, "'");
  const earlier = reply.getHeader('warning');
  const added = `299 runyard "${ascii.slice(0, 500)}"`;
  void reply.header('warning', earlier === undefined ? added : `${String(earlier)}, ${added}`);
}

/** Returns the Last-Event-ID header; ids that are not numbers are ignored, the service issues none. */
function lastEventIdOf({ headers }: FastifyRequest): number | undefined {
  const id = headers['last-event-id'];
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

/** Returns the headers of a download; a header that is sent twice is joined by the parser. */
function downloadHeadersOf({ headers }: FastifyRequest): RequestContext['download'] {
  return { range: headers.range, unmodifiedSince: headers['if-unmodified-since'] };
}

/** Aborts when the client disconnects before the response is complete. */
function abortOnDisconnect({ raw }: FastifyReply): AbortSignal {
  const disconnected = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) disconnected.abort();
  });
  return disconnected.signal;
}
