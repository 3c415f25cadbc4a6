/**
 * Checks requests against their schemas. A schema is compiled when it is first needed, and once for all
 * versions of the path.
 */
import { Ajv, type ValidateFunction } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';

/**
 * The compiler of the app's schemas. Compiling all of them would take a third of the start; most processes
 * never see most operations.
 */
export function createLazyValidatorCompiler(): FastifySchemaCompiler<object> {
  // Values are converted by api/http/request-coercion.ts alone, and unknown fields are kept.
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
