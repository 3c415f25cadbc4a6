/** Maps tables; most options of columns are the same in both formats. */
import {
  isFalse,
  isTrue,
  getNumber,
  getObjects,
  getText,
  omitUndefined,
  getOwn,
  type JsonObject,
} from '../json-fields.ts';
import { createFieldSet, type VisualizationInput, type WidgetDraft } from './visual.ts';

/** Column options that are the same in both formats. */
const sharedOptions = [
  'title',
  'type',
  'displayAs',
  'description',
  'alignContent',
  'allowHTML',
  'highlightLinks',
  'allowSearch',
  'useMonospaceFont',
  'preserveWhitespace',
  'numberFormat',
  'dateTimeFormat',
  'booleanValues',
  'decimalFormat',
  'imageUrlTemplate',
  'imageTitleTemplate',
  'imageWidth',
  'imageHeight',
  'linkUrlTemplate',
  'linkTextTemplate',
  'linkTitleTemplate',
  'linkOpenInNewTab',
  'cellFormat',
  'fontColor',
  'backgroundColor',
  'default',
] as const;

/** Maps the columns in their order; hidden ones become invisible columns. */
export function mapTable({ options, columns = [] }: VisualizationInput): WidgetDraft {
  const described = getObjects(options, 'columns')
    .flatMap((column, index) => {
      const name = getText(column, 'name');
      return name === undefined ? [] : [{ name, column, order: getNumber(column, 'order') ?? index }];
    })
    .sort((a, b) => a.order - b.order);
  const notes: string[] = [];
  const fields = createFieldSet(notes);
  const [visible, invisible] = [true, false].map((shown) =>
    described.filter(({ column }) => isFalse(column, 'visible') !== shown),
  );
  const encoded = (visible ?? []).map(({ name, column }, order) =>
    toColumnEncoding(fields.addColumn(name), column, order),
  );
  if (described.length === 0) for (const name of columns) encoded.push({ fieldName: fields.addColumn(name) });
  if (encoded.length === 0) notes.push('its columns are unknown; choose them once it has data');
  return {
    type: 'table',
    encodings: omitUndefined({
      columns: encoded,
      invisibleColumns:
        (invisible ?? []).length > 0
          ? invisible?.map(({ name, column }, order) => ({ name, ...columnOptions(column), order }))
          : undefined,
      itemsPerPage: getNumber(options, 'itemsPerPage'),
      condensed: isTrue(options, 'condensed') ? true : undefined,
      withRowNumber: isTrue(options, 'withRowNumber') ? true : undefined,
      paginationSize: getText(options, 'paginationSize'),
    }),
    fields: fields.fields,
    disaggregated: true,
    notes,
  };
}

function toColumnEncoding(
  fieldName: string,
  column: JsonObject,
  order: number,
): Readonly<Record<string, unknown>> {
  return { fieldName, ...columnOptions(column), visible: true, order };
}

function columnOptions(column: JsonObject): JsonObject {
  const title = getText(column, 'title') ?? getText(column, 'name');
  return {
    ...omitUndefined(Object.fromEntries(sharedOptions.map((key) => [key, getOwn(column, key)]))),
    ...omitUndefined({ displayName: title, title }),
  };
}
