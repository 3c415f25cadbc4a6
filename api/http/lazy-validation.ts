/** Validates requests. A schema is compiled at its first use, once for all versions of a path. */
import { Ajv, type ValidateFunction } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';

/**
 * Creates the schema compiler of the app. Compiling all schemas eagerly would take a third of the start-up
 * time, and most processes serve few operations.
 */
export function createLazyValidatorCompiler(): FastifySchemaCompiler<object> {
  // api/http/request-coercion.ts converts values; unknown fields are kept.
  const ajv = new Ajv({
    coerceTypes: false,
    removeAdditional: false,
    useDefaults: false,
    strict: false,
    allErrors: false,
  });
  const compiled = new WeakMap<object, ValidateFunction>();
  return ({ schema }) =>
    (value: unknown) => {
      const validate = compiled.get(schema) ?? ajv.compile(schema);
      compiled.set(schema, validate);
      return validate(value) ? true : { error: validate.errors ?? [] };
    };
}
