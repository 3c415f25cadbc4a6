/** Types of widgets that show data, with the encodings that each of them requires. */
import { Type, type TProperties } from 'typebox';

const Extra = Type.Record(Type.String(), Type.Unknown());

/** Field, or several fields, of an axis, colour or size. */
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

/** Widget type -> version of its spec and schema of its encodings. */
export const encodingsOf = {
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

/** Returns the version of the spec of a widget type. */
export function widgetVersionOf(type: VisualType): number {
  return encodingsOf[type][0];
}
