/** Schema of dashboards of the modern format; every migrated dashboard satisfies it. */
import { Type, type Static } from 'typebox';
import { encodingsOf, type VisualType } from './widget-encodings.ts';

const strict = { additionalProperties: false };
const Extra = Type.Record(Type.String(), Type.Unknown());

const dataTypes = ['STRING', 'INTEGER', 'DECIMAL', 'DATE', 'DATETIME'] as const;
export type DataType = (typeof dataTypes)[number];
const OneDataType = Type.Enum([...dataTypes]);

const OneValue = Type.Object({ value: Type.String() }, strict);

const Selection = Type.Union([
  Type.Object(
    { values: Type.Object({ dataType: OneDataType, values: Type.Array(OneValue) }, strict) },
    strict,
  ),
  Type.Object(
    { range: Type.Object({ dataType: OneDataType, min: OneValue, max: OneValue }, strict) },
    strict,
  ),
]);
export type Selection = Static<typeof Selection>;

export const ModernParameter = Type.Object(
  {
    displayName: Type.String(),
    keyword: Type.String({ minLength: 1 }),
    dataType: OneDataType,
    complexType: Type.Optional(Type.Enum(['MULTI', 'RANGE'])),
    defaultSelection: Selection,
  },
  strict,
);
export type ModernParameter = Static<typeof ModernParameter>;

/** Names of datasets, pages and widgets. */
const Name = Type.String({ pattern: '^[0-9a-f]{8}$' });

export const Dataset = Type.Object(
  {
    name: Name,
    displayName: Type.String(),
    /** Lines with their line ends; the query is their concatenation. */
    queryLines: Type.Array(Type.String()),
    parameters: Type.Optional(Type.Array(ModernParameter)),
    catalog: Type.Optional(Type.String()),
    schema: Type.Optional(Type.String()),
  },
  strict,
);
export type Dataset = Static<typeof Dataset>;

export const gridColumns = 6;

export const Position = Type.Object(
  {
    x: Type.Integer({ minimum: 0, maximum: gridColumns - 1 }),
    y: Type.Integer({ minimum: 0 }),
    width: Type.Integer({ minimum: 1, maximum: gridColumns }),
    height: Type.Integer({ minimum: 1 }),
  },
  strict,
);
export type Position = Static<typeof Position>;

export const QueryField = Type.Object(
  { name: Type.String({ minLength: 1 }), expression: Type.String({ minLength: 1 }) },
  strict,
);
export type QueryField = Static<typeof QueryField>;

export const WidgetQuery = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    query: Type.Object(
      {
        datasetName: Name,
        fields: Type.Optional(Type.Array(QueryField)),
        parameters: Type.Optional(
          Type.Array(Type.Object({ name: Type.String(), keyword: Type.String() }, strict)),
        ),
        disaggregated: Type.Boolean(),
      },
      strict,
    ),
  },
  strict,
);
export type WidgetQuery = Static<typeof WidgetQuery>;

export const Frame = Type.Object(
  {
    showTitle: Type.Boolean(),
    title: Type.String(),
    showDescription: Type.Optional(Type.Boolean()),
    description: Type.Optional(Type.String()),
  },
  strict,
);
export type Frame = Static<typeof Frame>;

const filterTypes = [
  'filter-single-select',
  'filter-multi-select',
  'filter-date-picker',
  'filter-date-range-picker',
  'filter-text-entry',
] as const;
export type FilterType = (typeof filterTypes)[number];

const FilterField = Type.Union([
  Type.Object({ parameterName: Type.String(), queryName: Type.String() }, strict),
  Type.Object(
    { fieldName: Type.String(), displayName: Type.Optional(Type.String()), queryName: Type.String() },
    strict,
  ),
]);
export type FilterField = Static<typeof FilterField>;

const visualSpecs = Object.entries(encodingsOf).map(([type, [version, encodings]]) =>
  Type.Object({
    version: Type.Literal(version),
    widgetType: Type.Literal(type),
    encodings: Type.Object(encodings),
    frame: Frame,
    mark: Type.Optional(Extra),
  }),
);

const FilterSpec = Type.Object(
  {
    version: Type.Literal(2),
    widgetType: Type.Enum([...filterTypes]),
    encodings: Type.Object({ fields: Type.Array(FilterField, { minItems: 1 }) }, strict),
    frame: Frame,
    selection: Type.Optional(Type.Object({ defaultSelection: Selection }, strict)),
  },
  strict,
);

const TextBox = Type.Object(
  { name: Name, multilineTextboxSpec: Type.Object({ lines: Type.Array(Type.String()) }, strict) },
  strict,
);
const Visual = Type.Object(
  {
    name: Name,
    queries: Type.Array(WidgetQuery, { minItems: 1 }),
    spec: Type.Union([...visualSpecs, FilterSpec]),
  },
  strict,
);

const Page = Type.Object(
  {
    name: Name,
    displayName: Type.String(),
    layout: Type.Array(Type.Object({ widget: Type.Union([TextBox, Visual]), position: Position }, strict)),
    pageType: Type.Literal('PAGE_TYPE_CANVAS'),
  },
  strict,
);

/** Document in `serialized_dashboard`. */
export const SerializedDashboard = Type.Object(
  { datasets: Type.Array(Dataset), pages: Type.Array(Page, { minItems: 1 }) },
  { ...strict, description: 'A dashboard of the modern format. Positions are on a grid of six columns.' },
);

/** Spec of a widget that shows data; the schema defines its encodings. */
export interface VisualSpec {
  readonly version: number;
  readonly widgetType: VisualType;
  readonly encodings: Readonly<Record<string, unknown>>;
  readonly frame: Frame;
  readonly mark?: Readonly<Record<string, unknown>>;
}

export interface FilterSpec {
  readonly version: 2;
  readonly widgetType: FilterType;
  readonly encodings: { readonly fields: readonly FilterField[] };
  readonly frame: Frame;
  readonly selection?: { readonly defaultSelection: Selection };
}

export interface ModernWidget {
  readonly name: string;
  readonly queries?: readonly WidgetQuery[];
  readonly spec?: VisualSpec | FilterSpec;
  readonly multilineTextboxSpec?: { readonly lines: readonly string[] };
}

export interface PlacedWidget {
  readonly widget: ModernWidget;
  readonly position: Position;
}

export interface ModernPage {
  readonly name: string;
  readonly displayName: string;
  readonly layout: readonly PlacedWidget[];
  readonly pageType: 'PAGE_TYPE_CANVAS';
}

/** Dashboard of the modern format; it satisfies the schema `SerializedDashboard`. */
export interface ModernDashboard {
  readonly datasets: readonly Dataset[];
  readonly pages: readonly ModernPage[];
}

/** Returns the document as it is stored and shown: JSON with a line end. */
export function serializeDashboard(dashboard: ModernDashboard): string {
  return `${JSON.stringify(dashboard)}\n`;
}
