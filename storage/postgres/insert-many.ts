/**
 * Bulk insert in one statement that is cheap to send and to parse: a value that all rows share is sent once,
 * the others as one array per column.
 */
import { sql, type RawBuilder, type Transaction } from 'kysely';
import type { Database } from './schema.ts';

/**
 * A column value; objects are for JSONB columns. Null and undefined leave the default of the column.
 */
type StoredValue = string | number | boolean | object | null | undefined;

/**
 * Inserts rows. All rows name the same columns; columns that are null in all rows are left out of the
 * statement.
 * @param rows at least one, all different
 */
export async function insertMany(
  db: Transaction<Database>,
  table: 'runs' | 'task_runs',
  rows: readonly Readonly<Record<string, StoredValue>>[],
): Promise<void> {
  const named = Object.keys(rows[0] ?? {}).map((name) => ({
    name,
    values: rows.map((row) => row[name] ?? null),
  }));
  const columns = named
    .filter(({ values }) => values.some((value) => value !== null))
    .map(({ name, values }) => ({
      name,
      values,
      shared: rows.length > 1 && values.every((value) => value === values[0]),
    }));
  const lists = columns.filter(({ shared }) => !shared);
  const value = ({ name, values, shared }: (typeof columns)[number]): RawBuilder<unknown> =>
    shared
      ? castTo(sql`${toParameter(values[0])}`, values, '')
      : castTo(sql.ref(`listed.${name}`), values, '');
  await sql`
    insert into ${sql.table(table)} (${sql.join(columns.map(({ name }) => sql.ref(name)))})
    select ${sql.join(columns.map(value))}
    from unnest(${sql.join(lists.map(({ values }) => castTo(sql`${values.map(toParameter)}`, values, '[]', 'text')))})
      as listed (${sql.join(lists.map(({ name }) => sql.ref(name)))})`.execute(db);
}

/**
 * Casts a parameter, because PostgreSQL does not infer its type in a select list.
 * @param json the type in which JSON values are passed
 */
function castTo(
  parameter: RawBuilder<unknown>,
  values: readonly StoredValue[],
  list: '' | '[]',
  json = 'jsonb',
): RawBuilder<unknown> {
  const first = values.find((value) => value !== null);
  const type =
    typeof first === 'number'
      ? 'bigint'
      : typeof first === 'boolean'
        ? 'boolean'
        : typeof first === 'object'
          ? json
          : 'text';
  return sql`${parameter}::${sql.raw(`${type}${list}`)}`;
}

function toParameter(value: StoredValue): StoredValue {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
