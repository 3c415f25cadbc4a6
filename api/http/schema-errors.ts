/** Error messages of schema violations: field, actual value, allowed values. */
import { invalid, ServiceError } from '../../engine/errors.ts';
import { truncateText, quote } from '../../engine/validation/messages.ts';

/** Fields of a validator error that are used here. */
export interface SchemaError {
  /** JSON pointer of the invalid value. */
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string | undefined;
}

interface SchemaViolation {
  readonly field: string;
  readonly actual: unknown;
  readonly params: SchemaError['params'];
}

/** JSON Schema keyword -> error. */
const messagesByKeyword: Readonly<Record<string, (violation: SchemaViolation) => ServiceError>> = {
  required: ({ field, params }) =>
    invalid(`Missing required field: ${joinPath(field, String(params['missingProperty']))}.`),
  type: createTypeError,
  enum: ({ field, actual, params }) =>
    invalid(`${field} is ${quote(actual)}; it must be one of ${joinValues(params['allowedValues'])}.`),
  const: ({ field, actual, params }) =>
    invalid(`${field} is ${quote(actual)}; it must be ${quote(params['allowedValue'])}.`),
  minimum: ({ field, actual, params }) =>
    invalid(`${field} is ${quote(actual)}; it must be at least ${params['limit']}.`),
  maximum: ({ field, actual, params }) =>
    invalid(`${field} is ${quote(actual)}; it must be at most ${params['limit']}.`),
  exclusiveMinimum: ({ field, actual, params }) =>
    invalid(`${field} is ${quote(actual)}; it must be greater than ${params['limit']}.`),
  exclusiveMaximum: ({ field, actual, params }) =>
    invalid(`${field} is ${quote(actual)}; it must be less than ${params['limit']}.`),
  minLength: ({ field, actual, params }) =>
    invalid(`${field} has ${lengthOf(actual)} characters; at least ${params['limit']} are required.`),
  maxLength: ({ field, actual, params }) =>
    invalid(`${field} has ${lengthOf(actual)} characters; at most ${params['limit']} are allowed.`),
  minItems: ({ field, actual, params }) =>
    invalid(`${field} has ${lengthOf(actual)} entries; at least ${params['limit']} are required.`),
  maxItems: ({ field, actual, params }) =>
    invalid(`${field} has ${lengthOf(actual)} entries; at most ${params['limit']} are allowed.`),
  pattern: ({ field, actual, params }) =>
    invalid(`${field} is ${quote(actual)}; it must match ${params['pattern']}.`),
  additionalProperties: ({ field, params }) =>
    invalid(`${joinPath(field, String(params['additionalProperty']))} is not a known field.`),
};

/**
 * Converts the errors of a validation to one error: MALFORMED_REQUEST for a wrong JSON type,
 * INVALID_PARAMETER_VALUE otherwise.
 * @param errors errors in the order of the validator (allErrors off)
 * @param value validated value
 */
export function toValidationError(errors: readonly SchemaError[], value: unknown): ServiceError {
  const error = selectDeepestError(errors);
  if (error === undefined) return invalid('The request does not match its schema.');
  const { field, found } = resolvePointer(error.instancePath, value);
  const toError = Object.hasOwn(messagesByKeyword, error.keyword)
    ? messagesByKeyword[error.keyword]
    : undefined;
  return (
    toError?.({ field, actual: found, params: error.params }) ??
    invalid(`${field} is ${quote(found)}; it ${error.message ?? 'is not allowed'}.`)
  );
}

/** Selects the deepest error: a union reports every branch, and the deepest error is of the intended one. */
function selectDeepestError(errors: readonly SchemaError[]): SchemaError | undefined {
  const depth = ({ instancePath }: SchemaError): number => instancePath.split('/').length;
  return errors.toSorted((a, b) => depth(b) - depth(a))[0];
}

function createTypeError({ field, actual, params }: SchemaViolation): ServiceError {
  if (field === '')
    return new ServiceError(
      'MALFORMED_REQUEST',
      'Invalid JSON given in the body of the request - expected a map',
    );
  const expected = String(params['type']);
  // The message repeats scalar values; objects and lists would be noise.
  const echo =
    expected !== 'object' && expected !== 'array' && expected !== 'string' && !isContainer(actual)
      ? ` ${quote(actual)}`
      : '';
  return new ServiceError(
    'MALFORMED_REQUEST',
    `Could not parse request object: Expected ${expected} for field ${field}, found ${typeName(actual)}${echo}`,
  );
}

/** Resolves a JSON pointer: `/tasks/2/new_cluster` is the field `tasks[2].new_cluster`. */
function resolvePointer(pointer: string, value: unknown): { field: string; found: unknown } {
  let field = '';
  let found = value;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    field = Array.isArray(found) ? `${field}[${key}]` : joinPath(field, key);
    found =
      isContainer(found) && Object.hasOwn(found, key) ? new Map(Object.entries(found)).get(key) : undefined;
  }
  return { field, found };
}

function joinPath(field: string, key: string): string {
  return field === '' ? truncateText(key) : `${field}.${truncateText(key)}`;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function typeName(value: unknown): string {
  if (value === null) return 'NULL';
  return (Array.isArray(value) ? 'array' : typeof value).toUpperCase();
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return [...value].length;
  return Array.isArray(value) ? value.length : 0;
}

function joinValues(values: unknown): string {
  return Array.isArray(values) ? values.join(', ') : quote(values);
}
