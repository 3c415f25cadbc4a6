/** Binding of store functions to a database. */
import type { Kysely } from 'kysely';
import type { Database } from './schema.ts';

type DatabaseFunction = (db: Kysely<Database>, ...rest: never[]) => unknown;

type Bound<Functions extends Readonly<Record<string, DatabaseFunction>>> = {
  readonly [Name in keyof Functions]: Functions[Name] extends (
    db: Kysely<Database>,
    ...rest: infer Rest
  ) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

/** Turns functions that take a database first into the methods of a store. */
export function bindDatabase<Functions extends Readonly<Record<string, DatabaseFunction>>>(
  db: Kysely<Database>,
  functions: Functions,
): Bound<Functions> {
  const bound = Object.entries(functions).map(([name, run]) => [name, run.bind(undefined, db)]);
  return Object.fromEntries(bound) as Bound<Functions>;
}
