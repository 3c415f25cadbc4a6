/** Classic dashboards as people bring them in: one document with widgets, visualizations and queries. */
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
      Type.String({ description: 'What runs it; the first one becomes the warehouse_id.' }),
    ),
    options: Type.Optional(Options),
  },
  {
    description:
      'A query; options.parameters are its parameters, options.catalog and options.schema where it runs.',
  },
);
export type ClassicQuery = Static<typeof ClassicQuery>;

export const ClassicVisualization = Type.Object(
  {
    id: Type.Optional(Id),
    type: Type.Optional(Type.String({ description: 'Such as TABLE, CHART or COUNTER, in any case.' })),
    name: Type.Optional(Type.String({ description: 'Its title.' })),
    description: Type.Optional(Type.String({ description: 'What it shows.' })),
    options: Type.Optional(Options),
    query: Type.Optional(ClassicQuery),
  },
  { description: 'How the result of a query is shown.' },
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
      'A visualization or a text box; options.position says where on the grid of six columns it stands.',
  },
);
export type ClassicWidget = Static<typeof ClassicWidget>;

const fields = {
  name: Type.String({ description: 'Its title.' }),
  tags: Type.Optional(Type.Array(Type.String(), { description: 'Words to find it by.' })),
  options: Type.Optional(Options),
  widgets: Type.Optional(Type.Array(ClassicWidget, { description: 'What stands on it.' })),
  queries: Type.Optional(
    Type.Array(ClassicQuery, {
      description: 'Further queries: those whose results are the choices of a parameter.',
    }),
  ),
};

/** A classic dashboard as it is brought in. Fields that are not named here are kept. */
export const ClassicImport = Type.Object(
  { id: Type.Optional(Type.String({ description: 'UUID. Default: a new one.' })), ...fields },
  { description: 'A classic dashboard as one document. Unknown fields are kept.' },
);
export type ClassicImport = Static<typeof ClassicImport>;

/** A stored classic dashboard. */
export const ClassicDashboard = Type.Object({ id: Type.String({ description: 'UUID.' }), ...fields });
export type ClassicDashboard = Static<typeof ClassicDashboard>;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * The id of a classic dashboard as it is stored: small letters.
 * @param field what the refusal calls it
 * @throws ServiceError for anything but a UUID
 */
export function parseClassicId(field: string, id: string): string {
  if (!uuid.test(id))
    throw invalid(
      `${field} is ${quote(id)}; it must be a UUID, such as 4e443c27-9f61-4f2e-a12d-ea5668460bf1.`,
    );
  return id.toLowerCase();
}

/** @throws ServiceError for a dashboard that breaks a rule which its schema cannot say */
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
    if (visualization.query?.query === undefined) throw missingField(fieldPath(path, 'query.query'));
  }
  const texts = [...queries, ...widgets.map(({ visualization }) => visualization?.query)].map(
    (query) => query?.query ?? '',
  );
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > limits.dashboardQueryBytes)
    throw invalid(
      `The queries of the dashboard are ${bytes} bytes of UTF-8 together; at most ${limits.dashboardQueryBytes} are allowed.`,
    );
}
