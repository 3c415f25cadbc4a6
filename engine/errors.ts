/**
 * Errors that the service reports to its callers: one class, and one table from error code to HTTP status.
 */

/** Error code on the wire -> HTTP status. */
export const httpStatusOf = {
  INVALID_PARAMETER_VALUE: 400,
  INVALID_STATE: 400,
  MAX_BLOCK_SIZE_EXCEEDED: 400,
  MALFORMED_REQUEST: 400,
  QUOTA_EXCEEDED: 400,
  RESOURCE_ALREADY_EXISTS: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  RESOURCE_DOES_NOT_EXIST: 404,
  NOT_FOUND: 404,
  ENDPOINT_NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  PRECONDITION_FAILED: 412,
  REQUEST_TOO_LARGE: 413,
  RANGE_NOT_SATISFIABLE: 416,
  REQUEST_LIMIT_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
  TEMPORARILY_UNAVAILABLE: 503,
} satisfies Record<string, number>;

export type ErrorCode = keyof typeof httpStatusOf;

/**
 * Error that the caller can act on. The message names the field, the value found and the rule (spec 7). Bugs
 * are assertions, never a ServiceError.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  /** Seconds after which the same request may succeed (429 and 503 only). */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, retryAfterSeconds?: number) {
    super(message);
    this.name = 'ServiceError';
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Creates the error of a value that breaks a rule. */
export function invalid(message: string): ServiceError {
  return new ServiceError('INVALID_PARAMETER_VALUE', message);
}

/** Creates the error of a run id that no run or task run has; clients match its text. */
export function runNotFound(runId: number): ServiceError {
  return invalid(`Run ${runId} does not exist.`);
}

/** Creates the error of a job id that no job has; clients match its text. */
export function jobNotFound(jobId: number): ServiceError {
  return invalid(`Job ${jobId} does not exist.`);
}

/** Creates the error of an upload that is too large. */
export function fileTooLarge(maximumBytes: number): ServiceError {
  return new ServiceError(
    'REQUEST_TOO_LARGE',
    `The file has more than ${maximumBytes} bytes; upload it in blocks with managed_fs/create.`,
  );
}

/** Returns the text of a thrown value, for a log line or a state message. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the `code` of a system or database error (`ENOENT`, `57P01`), if it has one. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
