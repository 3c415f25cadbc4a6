/** Column type of JSON values. */
import type { ColumnType } from 'kysely';

/** Kysely type of a JSON or JSONB column: read as a value, written as JSON text. */
export type JsonColumn<Value> = ColumnType<Value, string, string>;

/** As above for a column that may be NULL, which it is unless a row sets it. */
export type OptionalJsonColumn<Value> = ColumnType<Value | null, string | null | undefined, string | null>;
