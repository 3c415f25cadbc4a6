/** Schema and checks of classic dashboards: one document with widgets, visualizations and queries. */
import { Type, type Static } from 'typebox';
import { invalid } from '../errors.ts';
import { fieldPath, checkMaxBytes, checkMaxItems, missingField, quote } from '../validation/messages.ts';
import type { Limits } from '../limits.ts';

/** Ids of classic objects are UUIDs or, in older exports, numbers. */
const Id = Type.Union([Type.String(), Type.Integer()], {
  description: 'A UUID, or the number of an older export.',
});
const Options = Type.Record(Type.String(), Type.Unknown(), { description: 'Kept as it is.' });

export const ClassicQuery = Type.Object(
  {
    id: Type.Optional(Id),
    name: Type.Optional(Type.String({ description: 'Becomes the name of the dataset.' })),
    query: Type.Optional(Type.String({ description: 'The SQL text, with parameters as {{ name }}.' })),
    data_source_id: Type.Optional(
      Type.String({ description: 'Warehouse that runs the query; the first one becomes the warehouse_id.' }),
    ),
    options: Type.Optional(Options),
  },
  {
    description:
      'A query; options.parameters are its parameters, options.catalog and options.schema its default namespace.',
  },
);
export type ClassicQuery = Static<typeof ClassicQuery>;

export const ClassicVisualization = Type.Object(
  {
    id: Type.Optional(Id),
    type: Type.Optional(Type.String({ description: 'Such as TABLE, CHART or COUNTER, in any case.' })),
    name: Type.Optional(Type.String({ description: 'Title.' })),
    description: Type.Optional(Type.String({ description: 'Description.' })),
    options: Type.Optional(Options),
    query: Type.Optional(ClassicQuery),
  },
  { description: 'Presentation of the result of a query.' },
);
export type ClassicVisualization = Static<typeof ClassicVisualization>;

export const ClassicWidget = Type.Object(
  {
    id: Type.Optional(Id),
    text: Type.Optional(Type.String({ description: 'Markdown of a text box.' })),
    visualization: Type.Optional(ClassicVisualization),
    options: Type.Optional(Options),
  },
  {
    description:
      'A visualization or a text box; options.position is its position on the grid of six columns.',
  },
);
export type ClassicWidget = Static<typeof ClassicWidget>;

const fields = {
  name: Type.String({ description: 'Title.' }),
  tags: Type.Optional(Type.Array(Type.String(), { description: 'Tags for searches.' })),
  options: Type.Optional(Options),
  widgets: Type.Optional(Type.Array(ClassicWidget, { description: 'Widgets of the dashboard.' })),
  queries: Type.Optional(
    Type.Array(ClassicQuery, {
      description: 'Further queries, such as those whose results are the choices of a parameter.',
    }),
  ),
};

/** Classic dashboard of an import. Unknown fields are kept. */
export const ClassicImport = Type.Object(
  { id: Type.Optional(Type.String({ description: 'UUID. Default: a new one.' })), ...fields },
  { description: 'A classic dashboard as one document. Unknown fields are kept.' },
);
export type ClassicImport = Static<typeof ClassicImport>;

/** Stored classic dashboard. */
export const ClassicDashboard = Type.Object({ id: Type.String({ description: 'UUID.' }), ...fields });
export type ClassicDashboard = Static<typeof ClassicDashboard>;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Returns the id of a classic dashboard in lower case, as it is stored.
 * @param field name of the field, for the error
 * @throws ServiceError when the id is not a UUID
 */
export function parseClassicId(field: string, id: string): string {
  if (!uuid.test(id))
    throw invalid(
      `${field} is ${quote(id)}; it must be a UUID, such as 4e443c27-9f61-4f2e-a12d-ea5668460bf1.`,
    );
  return id.toLowerCase();
}

/** @throws ServiceError when the dashboard violates a rule that its schema cannot express */
export function checkClassicDashboard(
  { name, widgets = [], queries = [] }: ClassicImport,
  limits: Pick<Limits, 'dashboardWidgets' | 'dashboardNameBytes' | 'dashboardQueryBytes'>,
): void {
  if (name.trim() === '') throw missingField('name');
  checkMaxBytes('name', name, limits.dashboardNameBytes);
  checkMaxItems('widgets', widgets, limits.dashboardWidgets);
  checkMaxItems('queries', queries, limits.dashboardWidgets);
  for (const [index, { visualization }] of widgets.entries()) {
    const path = fieldPath(`widgets[${index}]`, 'visualization');
    if (visualization === undefined) continue;
    if (visualization.type === undefined || visualization.type.trim() === '')
      throw missingField(fieldPath(path, 'type'));
  }
  const texts = [...queries, ...widgets.map(({ visualization }) => visualization?.query)].map(
    (query) => query?.query ?? '',
  );
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > limits.dashboardQueryBytes)
    throw invalid(
      `The queries of the dashboard have ${bytes} bytes of UTF-8 in total; at most ${limits.dashboardQueryBytes} are allowed.`,
    );
}
