/** Error of a database that another version created. Commands import it without the database library. */

/** The database has a schema that no migration of this version leads on from. */
export class UnsupportedSchemaError extends Error {
  /** The migration that created the schema. */
  readonly migration: string;

  constructor(migration: string) {
    super(`The schema of the database (migration ${migration}) cannot be upgraded by this version.`);
    this.migration = migration;
  }
}
