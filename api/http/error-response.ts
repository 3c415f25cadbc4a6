/** Anything thrown while a request is served -> the refusal that is answered, in one place (spec 7). */
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { codeOf, httpStatusOf, messageOf, ServiceError } from '../../engine/errors.ts';
import { isRecord } from '../../engine/validation/json-object.ts';
import { truncateText } from '../../engine/validation/messages.ts';
import { toValidationError } from './schema-errors.ts';
import { securityHeaders } from './security-headers.ts';

/** Returns true for a transient error: the same request may succeed later. */
export type IsTransientError = (error: unknown) => boolean;

/** Knows whether a request that failed has changed anything. */
export interface ChangeTracking {
  /** Runs the work of a request. */
  track<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Returns true for an error after which a change may be stored all the same. */
  isOutcomeUnknown(error: unknown): boolean;
}

/** What the service knows about errors that are not refusals. */
export interface KnownErrors {
  readonly isTransientError: IsTransientError;
  /** Undefined: a request that failed has changed nothing. */
  readonly changes?: Pick<ChangeTracking, 'isOutcomeUnknown'> | undefined;
  readonly requestBytes: number;
}

const diskFullCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);
/** Retry-After of a full disk; an administrator has to act first. */
const diskFullRetrySeconds = 30;

/** SQLSTATE of a database that is reachable but cannot do the work now: a conflict, or no resources. */
const busyStates = /^(?:40|53(?!300))[0-9A-Z]{3}$/;

/** Retry-After of a transient error. */
const transientErrorRetrySeconds = 1;

/** Maximum characters of an error message; messages repeat paths and lists of the caller. */
const maximumMessageLength = 1_000;

/** Headers that describe the contents of a response. */
const contentHeaders = [
  'content-type',
  'content-length',
  'content-encoding',
  'content-disposition',
  'content-range',
  'last-modified',
] as const;

/** Sends an error response: `{error_code, message}`. */
export function sendErrorResponse(
  { code, message, retryAfterSeconds }: ServiceError,
  reply: FastifyReply,
): FastifyReply {
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  // A stream that fails before its first byte has already set the headers of its contents.
  for (const name of contentHeaders) reply.removeHeader(name);
  return reply
    .code(httpStatusOf[code])
    .send({ error_code: code, message: truncateText(message, maximumMessageLength) });
}

/**
 * Creates the handler of all errors. Unexpected errors are logged with the id of the request; the response
 * does not contain their details.
 */
export function createErrorHandler(known: KnownErrors) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const refusal = toServiceError(error, request, known);
    if (refusal.code === 'INTERNAL_ERROR')
      request.log.error({ err: error }, 'Request failed; the client got INTERNAL_ERROR.');
    if (refusal.code === 'TEMPORARILY_UNAVAILABLE')
      request.log.warn(
        { error: messageOf(error) },
        'Request failed with a transient error; the client may retry it.',
      );
    logForbiddenRequest(refusal, request);
    sendErrorResponse(refusal, reply);
  };
}

/** Logs denied calls of known callers, reads included: the audit log contains only changes. */
function logForbiddenRequest(
  { code }: ServiceError,
  { caller, ip, method, routeOptions: { url }, log }: FastifyRequest,
): void {
  if (code !== 'PERMISSION_DENIED' || caller === null) return;
  const { userName, tokenId } = caller;
  log.warn({ userName, tokenId, ip, method, route: url }, 'Call denied.');
}

/** Answers bytes that are not valid HTTP with the same error document; no route sees such a request. */
export function answerMalformedRequest(error: Error, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const message = malformedRequestMessages.get(codeOf(error) ?? '') ?? 'The request is not valid HTTP.';
  const body = JSON.stringify({ error_code: 'MALFORMED_REQUEST', message });
  const headers = {
    ...securityHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const head = [
    'HTTP/1.1 400 Bad Request',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

const malformedRequestMessages: ReadonlyMap<string, string> = new Map([
  ['HPE_HEADER_OVERFLOW', 'The headers of the request are too large.'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'The request was not received completely in time.'],
]);

/** Returns the error of an unknown path or method. The message omits the API version of the path. */
export function endpointNotFound(method: string, url: string): ServiceError {
  const path = url.replace(/[?#].*$/s, '').replace(/^\/api\/2\.\d+(?=\/|$)/, '');
  return new ServiceError('ENDPOINT_NOT_FOUND', `No API found for '${method} ${path === '' ? '/' : path}'`);
}

function toServiceError(error: unknown, request: FastifyRequest, known: KnownErrors): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isFrameworkError(error)) {
    if (error.validation !== undefined) {
      return toValidationError(error.validation, validatedParts[error.validationContext ?? 'body'](request));
    }
    if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
      return new ServiceError(
        'REQUEST_TOO_LARGE',
        `Size of the request body exceeds ${known.requestBytes} bytes`,
      );
    }
    // Other client errors of the framework are requests that it cannot parse.
    if (error.statusCode !== undefined && error.statusCode < 500)
      return new ServiceError('MALFORMED_REQUEST', error.message);
  }
  if (diskFullCodes.has(codeOf(error) ?? '')) {
    return new ServiceError(
      'TEMPORARILY_UNAVAILABLE',
      'The disk of the data directory is full. Free disk space, then send the request again.',
      diskFullRetrySeconds,
    );
  }
  if (known.isTransientError(error))
    return request.method !== 'GET' && known.changes?.isOutcomeUnknown(error) === true
      ? outcomeUnknown(request)
      : new ServiceError(
          'TEMPORARILY_UNAVAILABLE',
          `${busyStates.test(codeOf(error) ?? '') ? 'The database cannot do this now' : 'The database is not reachable'}; nothing was changed. Send the request again.`,
          transientErrorRetrySeconds,
        );
  return new ServiceError('INTERNAL_ERROR', 'The service failed to answer this request.');
}

/**
 * Returns the error of a request whose change may be stored or not. Clients repeat a request after Retry-After by
 * themselves: only one that is safe to repeat gets it.
 */
function outcomeUnknown({ body }: FastifyRequest): ServiceError {
  const isRepeatable =
    isRecord(body) && typeof body['idempotency_token'] === 'string' && body['idempotency_token'] !== '';
  const fact = 'The connection to the database was lost; it is not known whether the change was made.';
  return isRepeatable
    ? new ServiceError(
        'TEMPORARILY_UNAVAILABLE',
        `${fact} Send the request again; its idempotency_token prevents a second run.`,
        transientErrorRetrySeconds,
      )
    : new ServiceError('TEMPORARILY_UNAVAILABLE', `${fact} Check that before you send the request again.`);
}

/** Reads the part of a request that failed validation. */
const validatedParts: Readonly<
  Record<NonNullable<FastifyError['validationContext']>, (request: FastifyRequest) => unknown>
> = {
  body: (request) => request.body,
  querystring: (request) => request.query,
  params: (request) => request.params,
  headers: (request) => request.headers,
};

/** Returns true for errors of the framework: they carry an FST_ code or the errors of the validator. */
function isFrameworkError(error: unknown): error is FastifyError {
  if (!(error instanceof Error)) return false;
  return 'validation' in error || ('code' in error && String(error.code).startsWith('FST_'));
}
