/** `reference/errors.md`: the error codes and their HTTP status. */
import { httpStatusOf, type ErrorCode } from '../../engine/errors.ts';
import { code, renderTable } from './markdown.ts';

const meanings = {
  INVALID_PARAMETER_VALUE: 'A value breaks a rule, or refers to something that does not exist.',
  INVALID_STATE:
    'The object is in a state that does not allow the operation, such as deleting an active run.',
  MALFORMED_REQUEST: 'The body is not a JSON object in UTF-8, or a field has the wrong JSON type.',
  QUOTA_EXCEEDED: 'A quota is exhausted, such as the number of saved jobs.',
  RESOURCE_ALREADY_EXISTS: 'The name or path is in use.',
  UNAUTHENTICATED: 'The request carries no token.',
  PERMISSION_DENIED:
    'The token is unknown, expired or revoked; it lacks the scope that the message names; or the user lacks the permission on the job, may not use tokens, or is not an administrator.',
  MAX_BLOCK_SIZE_EXCEEDED: 'A block of a streaming upload has more than 1 MB.',
  RESOURCE_DOES_NOT_EXIST: 'The path, token, dashboard, pipeline or update does not exist.',
  NOT_FOUND: 'The token that a change names does not exist.',
  ENDPOINT_NOT_FOUND: 'The operation does not exist.',
  ALREADY_EXISTS:
    'The path of an upload or the ID of a classic dashboard is in use, or the pipeline has an active update.',
  PRECONDITION_FAILED: 'The file was changed after the time in `If-Unmodified-Since`.',
  REQUEST_TOO_LARGE: 'The body exceeds the maximum size.',
  RANGE_NOT_SATISFIABLE: 'The range of a download begins behind the end of the file.',
  REQUEST_LIMIT_EXCEEDED:
    'The maximum number of active task runs is reached, the token exceeded its request rate, or too many unknown tokens came from the address. `Retry-After` says when to try again.',
  INTERNAL_ERROR: 'The service failed. The log of the service has the cause; the answer does not.',
  TEMPORARILY_UNAVAILABLE:
    'The database is unavailable or the disk is full. The message says whether anything was changed: `nothing was changed` (send the request again after `Retry-After`), or `it is not known whether the change was made`, when the connection broke in the commit. In that case `Retry-After` is sent only for a request with an `idempotency_token`, because clients repeat such an answer by themselves.',
} satisfies Readonly<Record<ErrorCode, string>>;

/** Renders the page. */
export function renderErrorsPage(): string {
  return [
    '# Errors',
    [
      'A refused request gets a JSON object with an `error_code` and a `message`. The message names the field, the value',
      'that was found, and the allowed values:',
    ].join('\n'),
    '```json\n{"error_code": "INVALID_PARAMETER_VALUE", "message": "Job 7 does not exist."}\n```',
    renderTable(
      ['HTTP', '`error_code`', 'Meaning'],
      Object.entries(httpStatusOf)
        .toSorted(([, one], [, other]) => one - other)
        .map(([name, status]) => [String(status), code(name), Object(meanings)[name]]),
    ),
  ].join('\n\n');
}
