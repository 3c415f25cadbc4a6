/** Reads the roles of the columns of a classic chart from either of their two formats. */
import { getObject, toJsonObject, getOwn, getText, type JsonObject } from '../json-fields.ts';

export interface ChartColumn {
  readonly column: string;
  /** Key of its options; the column itself in the older format. */
  readonly id: string;
  /** Aggregate, or unit to which a date is truncated. */
  readonly transform?: string | undefined;
}

export interface ChartColumns {
  readonly x: ChartColumn | undefined;
  readonly y: readonly ChartColumn[];
  readonly series: ChartColumn | undefined;
  readonly size: ChartColumn | undefined;
  /** Column of the colours of a heatmap. */
  readonly value: ChartColumn | undefined;
  /** Columns with roles that no widget supports. */
  readonly others: readonly { readonly role: string; readonly column: string }[];
}

type Role = 'x' | 'y' | 'series' | 'size' | 'value';

/** Spelling of a role -> role. */
const roles: ReadonlyMap<string, Role> = new Map<string, Role>([
  ['x', 'x'],
  ['y', 'y'],
  ['series', 'series'],
  ['groupby', 'series'],
  ['size', 'size'],
  ['zval', 'value'],
  ['z', 'value'],
  ['color', 'value'],
]);

/** Roles of a hidden column. */
const hiddenRoles = new Set(['', 'unused', 'hidden', 'none']);

export function parseChartColumns(options: JsonObject): ChartColumns {
  const written =
    getOwn(options, 'columnConfigurationMap') === undefined
      ? parseColumnMapping(getObject(options, 'columnMapping'))
      : parseColumnConfiguration(getObject(options, 'columnConfigurationMap'));
  const known = written.map(({ role, column }) => ({
    role: roles.get(role.toLowerCase()),
    written: role,
    column,
  }));
  const of = (role: Role): ChartColumn[] =>
    known.filter((entry) => entry.role === role).map(({ column }) => column);
  const more = [
    ...of('x')
      .slice(1)
      .map(({ column }) => ({ role: 'x', column })),
    ...of('series')
      .slice(1)
      .map(({ column }) => ({ role: 'series', column })),
  ];
  return {
    x: of('x')[0],
    y: of('y'),
    series: of('series')[0],
    size: of('size')[0],
    value: of('value')[0],
    others: [
      ...more,
      ...known
        .filter(({ role, written: name }) => role === undefined && !hiddenRoles.has(name.toLowerCase()))
        .map(({ written: role, column }) => ({ role, column: column.column })),
    ],
  };
}

interface RawColumn {
  readonly role: string;
  readonly column: ChartColumn;
}

function parseColumnMapping(mapping: JsonObject): RawColumn[] {
  return Object.entries(mapping).flatMap(([column, role]) =>
    typeof role === 'string' && column.trim() !== '' ? [{ role, column: { column, id: column } }] : [],
  );
}

function parseColumnConfiguration(mapping: JsonObject): RawColumn[] {
  return Object.entries(mapping).flatMap(([role, entries]) =>
    (Array.isArray(entries) ? entries : [entries]).flatMap((entry) => {
      const fields = toJsonObject(entry);
      const column = getText(fields, 'column');
      return column === undefined
        ? []
        : [
            {
              role,
              column: {
                column,
                id: getText(fields, 'id') ?? column,
                transform: getText(fields, 'transform'),
              },
            },
          ];
    }),
  );
}
