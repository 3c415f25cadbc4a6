/** Column type of JSON values in the schema. */
import type { ColumnType } from 'kysely';

/** Kysely type of a JSON or JSONB column: read as a value, written as JSON text. */
export type JsonColumn<Value> = ColumnType<Value, string, string>;
