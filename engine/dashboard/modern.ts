/** Dashboards of the newer format: the schema that every migrated one satisfies. */
import { Type, type Static, type TProperties } from 'typebox';

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
    /** Joined with nothing between them. */
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

/** What an axis, a colour or a size shows: one field, or several. */
const FieldEncoding = Type.Object({ fieldName: Type.String({ minLength: 1 }) });
const AxisEncoding = Type.Union([
  FieldEncoding,
  Type.Object({ fields: Type.Array(FieldEncoding, { minItems: 1 }) }),
]);
const FieldList = Type.Array(FieldEncoding);
const xy = {
  x: AxisEncoding,
  y: AxisEncoding,
  color: Type.Optional(Extra),
  size: Type.Optional(FieldEncoding),
  label: Type.Optional(Extra),
};

/** Widget type -> its version and what its encodings must have. */
const encodingsOf = {
  table: [1, { columns: FieldList }],
  counter: [2, { value: FieldEncoding, target: Type.Optional(FieldEncoding) }],
  bar: [3, xy],
  line: [3, xy],
  area: [3, xy],
  scatter: [3, xy],
  heatmap: [3, { ...xy, color: FieldEncoding }],
  histogram: [
    3,
    {
      x: FieldEncoding,
      y: Type.Optional(FieldEncoding),
      color: Type.Optional(Extra),
      label: Type.Optional(Extra),
    },
  ],
  pie: [3, { angle: FieldEncoding, color: FieldEncoding, label: Type.Optional(Extra) }],
  combo: [
    1,
    {
      x: FieldEncoding,
      color: Type.Optional(Extra),
      label: Type.Optional(Extra),
      y: Type.Object({
        primary: Type.Object({ fields: FieldList }),
        secondary: Type.Object({ fields: FieldList }),
      }),
    },
  ],
  pivot: [
    3,
    {
      rows: FieldList,
      columns: FieldList,
      cell: Type.Object({ type: Type.Literal('multi-cell'), fields: FieldList }),
    },
  ],
  funnel: [3, { x: FieldEncoding, y: FieldEncoding }],
  sankey: [1, { value: FieldEncoding, stages: Type.Array(FieldEncoding, { minItems: 2 }) }],
  box: [
    3,
    {
      x: Type.Optional(FieldEncoding),
      y: Type.Object({
        whiskerStart: FieldEncoding,
        boxStart: FieldEncoding,
        boxMid: FieldEncoding,
        boxEnd: FieldEncoding,
        whiskerEnd: FieldEncoding,
      }),
    },
  ],
  'choropleth-map': [1, { region: Type.Object({ regionType: Type.String() }), color: FieldEncoding }],
  'symbol-map': [
    2,
    {
      coordinates: Type.Object({ latitude: FieldEncoding, longitude: FieldEncoding }),
      color: Type.Optional(FieldEncoding),
    },
  ],
  'word-cloud': [2, { text: FieldEncoding, size: Type.Optional(FieldEncoding) }],
} as const satisfies Record<string, readonly [number, TProperties]>;

export type VisualType = keyof typeof encodingsOf;

/** The version of the format in which a widget of this type is written. */
export function widgetVersionOf(type: VisualType): number {
  return encodingsOf[type][0];
}

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

export const Page = Type.Object(
  {
    name: Name,
    displayName: Type.String(),
    layout: Type.Array(Type.Object({ widget: Type.Union([TextBox, Visual]), position: Position }, strict)),
    pageType: Type.Literal('PAGE_TYPE_CANVAS'),
  },
  strict,
);

/** What `serialized_dashboard` holds, as a document. */
export const SerializedDashboard = Type.Object(
  { datasets: Type.Array(Dataset), pages: Type.Array(Page, { minItems: 1 }) },
  { ...strict, description: 'A dashboard of the newer format. Positions are in a grid of six columns.' },
);

/** A spec of a widget that shows data. Which encodings it needs, the schema says. */
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

/** A dashboard of the newer format; it satisfies the schema `SerializedDashboard`. */
export interface ModernDashboard {
  readonly datasets: readonly Dataset[];
  readonly pages: readonly ModernPage[];
}

/** The document as it is stored and shown: JSON with one line end behind it. */
export function serializeDashboard(dashboard: ModernDashboard): string {
  return `${JSON.stringify(dashboard)}\n`;
}
