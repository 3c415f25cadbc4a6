/** Error responses of all operations in the API reference, each with an example. */
import { Type } from 'typebox';
import { httpStatusOf, type ErrorCode } from '../../engine/errors.ts';

export const ErrorDocument = Type.Object(
  {
    error_code: Type.String({ description: 'Error code for programs, e.g. INVALID_PARAMETER_VALUE.' }),
    message: Type.String({ description: 'Human-readable message: field, actual value, allowed values.' }),
  },
  { description: 'Error response.' },
);

interface ErrorResponse {
  /** Name of the component in the API reference. */
  readonly name: string;
  readonly meaning: string;
  readonly code: ErrorCode;
  readonly message: string;
}

/** Error responses by HTTP status. */
const errorResponses: readonly ErrorResponse[] = [
  {
    name: 'Invalid',
    code: 'INVALID_PARAMETER_VALUE',
    message: 'Missing required field: job_id.',
    meaning:
      'A parameter is invalid or names an unknown object, a limit is reached, or the body is not a JSON object.',
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
      'The token is invalid or lacks the scope of the operation, or its owner lacks a permission on the job.',
  },
  {
    name: 'Missing',
    code: 'RESOURCE_DOES_NOT_EXIST',
    message: "Path (/a/b) doesn't exist.",
    meaning: 'The endpoint, or the object named in the path or parameters, does not exist.',
  },
  {
    name: 'Conflict',
    code: 'ALREADY_EXISTS',
    message:
      'A classic dashboard with the id 4e443c27-9f61-4f2e-a12d-ea5668460bf1 already exists; delete it first or omit the id.',
    meaning: 'The object to create already exists.',
  },
  {
    name: 'TooLarge',
    code: 'REQUEST_TOO_LARGE',
    message: 'Size of the request body exceeds 10485760 bytes',
    meaning: 'The request body is too large.',
  },
  {
    name: 'TooMany',
    code: 'REQUEST_LIMIT_EXCEEDED',
    message: 'There are already 1000 active runs (limit: 1000).',
    meaning: 'A limit is reached; Retry-After contains the time to wait.',
  },
  {
    name: 'Failed',
    code: 'INTERNAL_ERROR',
    message: 'The service failed to answer this request.',
    meaning: 'Internal error of the service.',
  },
  {
    name: 'Unavailable',
    code: 'TEMPORARILY_UNAVAILABLE',
    message: 'The database is not reachable; nothing was changed. Send the request again.',
    meaning:
      'The service is temporarily unavailable. The message says whether anything was changed; Retry-After contains the time to wait, where the request is safe to repeat.',
  },
];

/** Returns the error responses as OpenAPI components. */
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

/** Returns references to the error responses, by HTTP status. */
export function createErrorResponseReferences(): Record<string, object> {
  return Object.fromEntries(
    errorResponses.map(({ name, code }) => [
      String(httpStatusOf[code]),
      { $ref: `#/components/responses/${name}` },
    ]),
  );
}
