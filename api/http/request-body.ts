/** From the bytes of a request to the input of its operation, with the tolerance that clients need. */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalid, messageOf, ServiceError } from '../../engine/errors.ts';
import { parseMultipartForm } from './multipart-form.ts';
import type { RequestParts } from './request-parts.ts';
import { findUnstorableValue } from './storable-values.ts';
import { coerceValue } from './request-coercion.ts';

const notAnObjectMessage = 'Invalid JSON given in the body of the request - expected a map';

/** Integers of so many digits may be beyond 2^53, where a JSON number is no longer exact. */
const longNumber = /\d{16}/;

/**
 * Reads every body as JSON, whatever its content type says; an empty one is absent. A GET may have one too.
 * Forms are read where the operation takes a file.
 */
export function registerBodyParsers(app: FastifyInstance): void {
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    // Decoding puts other characters in the place of those that it cannot read.
    if (!isUtf8(body))
      return done(new ServiceError('MALFORMED_REQUEST', `${notAnObjectMessage}: it is not UTF-8.`));
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
        throw new ServiceError('MALFORMED_REQUEST', `${notAnObjectMessage}: this operation takes no form.`);
      return assertStorable(await parseMultipartForm(request.headers['content-type'] ?? '', body, fileField));
    },
  );
}

/** What is wrong with a text that was refused: the parser that refused it does not say where. */
function describeJsonError(text: string): string {
  try {
    JSON.parse(text);
    return 'keys named __proto__, and constructor with a prototype, are not allowed.';
  } catch (error) {
    // The excerpt in the message may end within a character.
    return messageOf(error).toWellFormed();
  }
}

/**
 * Puts the input of an operation where its schemas are applied next: path, body or query, with what clients
 * are forgiven.
 */
export function coerceRequest(request: FastifyRequest, { params, querystring, body }: RequestParts): void {
  if (params !== undefined) request.params = coerceValue(params, request.params);
  if (body !== undefined) request.body = coerceValue(body, request.body ?? {});
  // Some clients send the parameters of a GET in its body; what the address says wins.
  if (querystring !== undefined)
    request.query = coerceValue(querystring, {
      ...toObject(request.body),
      ...mergeRepeatedParameters(assertStorable(toObject(request.query))),
    });
}

/** @throws ServiceError for what cannot be kept */
function assertStorable<Value>(value: Value): Value {
  const refusal = findUnstorableValue(value);
  if (refusal !== undefined) throw refusal;
  return value;
}

/** The whole input, once its parts fit their schemas. */
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

/** A query parameter that is repeated with the same value counts once; with another it is refused. */
function mergeRepeatedParameters(query: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]: [string, unknown]) => {
      if (!Array.isArray(value)) return [name, value];
      const [first, ...others] = new Set<unknown>(value);
      if (others.length === 0) return [name, first];
      throw invalid(`${name} is given ${value.length} times with different values; give it once.`);
    }),
  );
}

/**
 * The refusal of an integer that JSON numbers would round; undefined when there is none. Cheap when no number
 * is long.
 */
function findRoundedInteger(text: string): ServiceError | undefined {
  if (!longNumber.test(text)) return undefined;
  let refusal: ServiceError | undefined;
  JSON.parse(text, (key, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source ?? '';
    // What this service shows as digits, it takes again.
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
