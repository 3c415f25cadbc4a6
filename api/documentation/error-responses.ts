/**
 * The refusals that any operation can answer with, for the description of the API: what each means, and one
 * of them.
 */
import { Type } from 'typebox';
import { httpStatusOf, type ErrorCode } from '../../engine/errors.ts';

export const ErrorDocument = Type.Object(
  {
    error_code: Type.String({ description: 'One word for programs, e.g. INVALID_PARAMETER_VALUE.' }),
    message: Type.String({ description: 'For people: the field, what was found, what is allowed.' }),
  },
  { description: 'A refusal.' },
);

interface ErrorResponse {
  /** Name of the answer in the description. */
  readonly name: string;
  readonly meaning: string;
  readonly code: ErrorCode;
  readonly message: string;
}

/** In the order of their status. */
export const errorResponses: readonly ErrorResponse[] = [
  {
    name: 'Invalid',
    code: 'INVALID_PARAMETER_VALUE',
    message: 'Missing required field: job_id.',
    meaning:
      'A parameter breaks a rule, what it names does not exist, a limit is reached, or the body is no JSON object.',
  },
  {
    name: 'Unauthenticated',
    code: 'UNAUTHENTICATED',
    message: 'Credential was not sent or was of an unsupported type for this API.',
    meaning: 'No usable credential was sent.',
  },
  {
    name: 'Denied',
    code: 'PERMISSION_DENIED',
    message: 'Provided access token does not have required scopes: jobs',
    meaning:
      'The token does not count or lacks the scope of the operation, or its owner lacks a permission on the job.',
  },
  {
    name: 'Missing',
    code: 'RESOURCE_DOES_NOT_EXIST',
    message: "Path (/a/b) doesn't exist.",
    meaning: 'What the path of the address, or a path in the parameters, names does not exist.',
  },
  {
    name: 'Conflict',
    code: 'ALREADY_EXISTS',
    message:
      'There is a classic dashboard with the id 4e443c27-9f61-4f2e-a12d-ea5668460bf1 already; delete it first, or leave the id out.',
    meaning: 'What is to be made exists already.',
  },
  {
    name: 'TooLarge',
    code: 'REQUEST_TOO_LARGE',
    message: 'Size of the request body exceeds 10485760 bytes',
    meaning: 'The body is too large.',
  },
  {
    name: 'TooMany',
    code: 'REQUEST_LIMIT_EXCEEDED',
    message: 'There are already 1000 active runs (limit: 1000).',
    meaning: 'A limit is reached; Retry-After says when to ask again.',
  },
  {
    name: 'Failed',
    code: 'INTERNAL_ERROR',
    message: 'The service failed to answer this request.',
    meaning: 'The service failed.',
  },
  {
    name: 'Unavailable',
    code: 'TEMPORARILY_UNAVAILABLE',
    message: 'The service is not available at the moment. Send the request again.',
    meaning:
      'The service is not available at the moment and has done nothing; Retry-After says when to ask again.',
  },
];

/** The answers as components of the description. */
export function createErrorResponseComponents(): Record<string, object> {
  return Object.fromEntries(
    errorResponses.map(({ name, meaning, code, message }) => [
      name,
      {
        description: meaning,
        content: { 'application/json': { schema: ErrorDocument, example: { error_code: code, message } } },
      },
    ]),
  );
}

/** The answers as an operation refers to them, by status. */
export function createErrorResponseReferences(): Record<string, object> {
  return Object.fromEntries(
    errorResponses.map(({ name, code }) => [
      String(httpStatusOf[code]),
      { $ref: `#/components/responses/${name}` },
    ]),
  );
}
