/** Parses requests into operation input, with the tolerance that existing clients need. */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fileTooLarge, invalid, messageOf, ServiceError } from '../../engine/errors.ts';
import { fixedLimits } from '../../engine/limits.ts';
import { isRecord } from '../../engine/validation/json-object.ts';
import { parseMultipartForm } from './multipart-form.ts';
import type { Operation } from './operation.ts';
import { readQueryParameters } from './query-parameters.ts';
import type { RequestParts } from './request-parts.ts';
import { findUnstorableValue } from './storable-values.ts';
import { coerceValue } from './request-coercion.ts';

const notAnObjectMessage = 'Invalid JSON given in the body of the request - expected a map';

/** Matches integers that may exceed 2^53, where JSON numbers lose precision. */
const longNumber = /\d{16}/;

/**
 * Registers the body parsers. Every body is parsed as JSON regardless of its content type; an empty body
 * counts as absent. GET requests may have a body. Forms are accepted by operations with a file field.
 */
export function registerBodyParsers(app: FastifyInstance): void {
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    // Checked first because decoding would silently replace invalid bytes.
    if (!isUtf8(body))
      return done(new ServiceError('MALFORMED_REQUEST', `${notAnObjectMessage}: the body is not UTF-8.`));
    const text = body.toString('utf8');
    if (text.trim() === '') return done(null);
    parse(request, text, (error, parsed) => {
      if (error !== null)
        done(new ServiceError('MALFORMED_REQUEST', `${notAnObjectMessage}: ${describeJsonError(text)}`));
      else done(findUnstorableValue(parsed) ?? findRoundedInteger(text) ?? null, parsed);
    });
  });
  app.addContentTypeParser(
    /^multipart\/form-data\b/i,
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer<ArrayBuffer>) => {
      const { fileField } = request.routeOptions.config;
      if (fileField === undefined)
        throw new ServiceError(
          'MALFORMED_REQUEST',
          `${notAnObjectMessage}: this operation does not accept forms.`,
        );
      return assertStorable(await parseMultipartForm(request.headers['content-type'] ?? '', body, fileField));
    },
  );
}

/** Adds the route of an operation; the body of an operation with `fileBody` stays unread for its handler. */
export function addWithBodyParser(
  app: FastifyInstance,
  { fileBody }: Pick<Operation, 'fileBody'>,
  addRoute: (target: FastifyInstance) => void,
): void {
  if (fileBody !== true) return addRoute(app);
  app.register(async (target) => {
    target.removeAllContentTypeParsers();
    target.addContentTypeParser('*', (request, _body, done) => {
      const announced = Number(request.headers['content-length'] ?? 0);
      done(announced > fixedLimits.fileUploadBytes ? fileTooLarge(fixedLimits.fileUploadBytes) : null);
    });
    // A body that the handler leaves unread would block the next request of the connection.
    target.addHook('onSend', async (request, _reply, payload) => {
      request.raw.resume();
      return payload;
    });
    addRoute(target);
  });
}

/** Describes a JSON syntax error; the parser of the framework does not report positions. */
function describeJsonError(text: string): string {
  try {
    JSON.parse(text);
    return 'keys named __proto__, and constructor with a prototype, are not allowed.';
  } catch (error) {
    // The excerpt in the message may end with half of a surrogate pair.
    return messageOf(error).toWellFormed();
  }
}

/** Coerces path, query and body of a request by their schemas, before validation. */
export function coerceRequest(
  request: FastifyRequest,
  { params, tail, querystring, body }: RequestParts,
  complete: Operation['complete'] = (given) => given,
): void {
  if (params !== undefined) request.params = coerceValue(params, readPathFields(request.params, tail));
  if (body !== undefined) {
    const given = request.body ?? {};
    request.body = coerceValue(body, isRecord(given) ? complete(given) : given);
  }
  // Some clients send GET parameters in the body; query parameters take precedence.
  if (querystring !== undefined)
    request.query = coerceValue(querystring, {
      ...toObject(request.body),
      ...readQueryParameters(querystring, assertStorable(toObject(request.query))),
    });
}

/** Returns the path fields, with the remaining segments under the name of their field. */
function readPathFields(params: unknown, tail: string | undefined): object {
  const entries = Object.entries(toObject(params));
  return Object.fromEntries(
    entries.map(([name, value]) => (name === '*' ? [tail ?? name, `/${String(value)}`] : [name, value])),
  );
}

/** @throws ServiceError for a value that cannot be stored */
function assertStorable<Value>(value: Value): Value {
  const refusal = findUnstorableValue(value);
  if (refusal !== undefined) throw refusal;
  return value;
}

/** Returns the complete input of an operation after validation. */
export function readInput(request: FastifyRequest, { params, querystring }: RequestParts): object {
  const rest = toObject(querystring === undefined ? request.body : request.query);
  return params === undefined ? rest : { ...rest, ...toObject(request.params) };
}

function toObject(value: unknown): object {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw new ServiceError('MALFORMED_REQUEST', notAnObjectMessage);
  return value;
}

/** Returns the error of the first integer that a JSON number would round; undefined without one. */
function findRoundedInteger(text: string): ServiceError | undefined {
  if (!longNumber.test(text)) return undefined;
  let refusal: ServiceError | undefined;
  JSON.parse(text, (key, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source ?? '';
    // Digits that the service itself sends are accepted.
    const rounded =
      typeof value === 'number' &&
      /^-?\d+$/.test(source) &&
      !Number.isSafeInteger(value) &&
      String(value) !== source;
    if (refusal === undefined && rounded) {
      refusal = invalid(
        `${key} is ${source}; integers must be between -9007199254740991 and 9007199254740991.`,
      );
    }
    return value;
  });
  return refusal;
}
