/**
 * What a classic visualization becomes: a widget of the newer format before it has a name, a dataset and a
 * title.
 */
import type { QueryField, VisualType } from '../modern.ts';
import type { JsonObject } from '../json-fields.ts';

/** A classic visualization, as the mappings see it. */
export interface VisualizationInput {
  readonly options: JsonObject;
  /** The columns of its query as far as its text tells; undefined when it does not. */
  readonly columns: readonly string[] | undefined;
}

export interface WidgetDraft {
  readonly type: VisualType;
  readonly encodings: Readonly<Record<string, unknown>>;
  readonly mark?: Readonly<Record<string, unknown>>;
  readonly fields: readonly QueryField[];
  /** Rows as the query gives them; false: grouped by the fields that are no aggregate. */
  readonly disaggregated: boolean;
  /** What could not be carried over exactly, as half sentences. */
  readonly notes: readonly string[];
}

/** Undefined when the visualization lacks what the widget needs. */
export type VisualizationMapper = (shown: VisualizationInput) => WidgetDraft | undefined;

/** The fields of a widget's query, each once, in the order in which they are asked for. */
export interface FieldSet {
  /** A column as it is. Returns the name of the field, as do the others. */
  addColumn(column: string): string;
  /**
   * An aggregate of a column, or a date cut to a unit; an unknown transform is noted, and leaves the column
   * as it is.
   */
  addTransformed(column: string, transform: string | undefined): string;
  /** The number of rows. */
  addRowCount(): string;
  /** Any other expression. */
  addExpression(name: string, expression: string): string;
  readonly fields: readonly QueryField[];
  /** Whether one of them is an aggregate. */
  hasAggregates(): boolean;
}

/** Transform -> its function in names and in expressions. */
const aggregateFunctions: ReadonlyMap<string, readonly [string, (column: string) => string]> = new Map([
  ['SUM', ['sum', (column) => `SUM(${column})`]],
  ['AVERAGE', ['avg', (column) => `AVG(${column})`]],
  ['AVG', ['avg', (column) => `AVG(${column})`]],
  ['COUNT', ['count', (column) => `COUNT(${column})`]],
  ['COUNT_DISTINCT', ['countdistinct', (column) => `COUNT(DISTINCT ${column})`]],
  ['MEDIAN', ['median', (column) => `MEDIAN(${column})`]],
  ['MIN', ['min', (column) => `MIN(${column})`]],
  ['MAX', ['max', (column) => `MAX(${column})`]],
  ['STDDEV', ['stddev', (column) => `STDDEV(${column})`]],
  ['VARIANCE', ['variance', (column) => `VARIANCE(${column})`]],
]);

const dateUnits: ReadonlyMap<string, string> = new Map([
  ['SECOND', 'secondly'],
  ['MINUTE', 'minutely'],
  ['HOUR', 'hourly'],
  ['DAY', 'daily'],
  ['WEEK', 'weekly'],
  ['MONTH', 'monthly'],
  ['QUARTER', 'quarterly'],
  ['YEAR', 'yearly'],
]);

/** The unit to which a transform cuts a date; undefined when it does something else. */
export function dateUnit(transform: string | undefined): string | undefined {
  const unit = transform?.toUpperCase().replace(/_LEVEL$/, '');
  return unit !== undefined && dateUnits.has(unit) ? unit : undefined;
}

/** @param notes takes what cannot be expressed */
export function createFieldSet(notes: string[]): FieldSet {
  const byName = new Map<string, QueryField>();
  let aggregated = false;
  const add = (name: string, expression: string): string => {
    if (!byName.has(name)) byName.set(name, { name, expression });
    return name;
  };
  const plain = (column: string): string => add(column, quoteColumn(column));
  return {
    addColumn: plain,
    addTransformed(column, transform) {
      if (transform === undefined) return plain(column);
      const unit = dateUnit(transform);
      if (unit !== undefined)
        return add(`${dateUnits.get(unit) ?? ''}(${column})`, `DATE_TRUNC("${unit}",${quoteColumn(column)})`);
      const aggregate = aggregateFunctions.get(transform.toUpperCase());
      if (aggregate === undefined) {
        notes.push(
          `the transform ${transform} of the column ${column} is not known; the column is shown as it is`,
        );
        return plain(column);
      }
      aggregated = true;
      return add(`${aggregate[0]}(${column})`, aggregate[1](quoteColumn(column)));
    },
    addRowCount() {
      aggregated = true;
      return add('count(*)', 'COUNT(`*`)');
    },
    addExpression(name, expression) {
      aggregated = true;
      return add(name, expression);
    },
    get fields() {
      return [...byName.values()];
    },
    hasAggregates: () => aggregated,
  };
}

/** A column as a name in an expression. */
export function quoteColumn(column: string): string {
  return `\`${column.replaceAll('`', '``')}\``;
}
