/** Tables: the options of classic columns are those of the newer ones. */
import { isFalse, isTrue, numberIn, objectsIn, textIn, given, own, type Fields } from '../reading.ts';
import { fieldSet, type Shown, type Visual } from './visual.ts';

/** Column options that mean the same in both formats and are taken as they are. */
const kept = [
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

/** Columns in their order, with their options; those that were hidden stay among the invisible ones. */
export function table({ options, columns = [] }: Shown): Visual {
  const described = objectsIn(options, 'columns')
    .flatMap((column, index) => {
      const name = textIn(column, 'name');
      return name === undefined ? [] : [{ name, column, order: numberIn(column, 'order') ?? index }];
    })
    .sort((a, b) => a.order - b.order);
  const notes: string[] = [];
  const fields = fieldSet(notes);
  const [visible, invisible] = [true, false].map((shown) =>
    described.filter(({ column }) => isFalse(column, 'visible') !== shown),
  );
  const encoded = (visible ?? []).map(({ name, column }, order) =>
    encodedColumn(fields.plain(name), column, order),
  );
  if (described.length === 0) for (const name of columns) encoded.push({ fieldName: fields.plain(name) });
  if (encoded.length === 0) notes.push('its columns are not known; choose them once it has data');
  return {
    type: 'table',
    encodings: given({
      columns: encoded,
      invisibleColumns:
        (invisible ?? []).length > 0
          ? invisible?.map(({ name, column }, order) => ({ name, ...columnOptions(column), order }))
          : undefined,
      itemsPerPage: numberIn(options, 'itemsPerPage'),
      condensed: isTrue(options, 'condensed') ? true : undefined,
      withRowNumber: isTrue(options, 'withRowNumber') ? true : undefined,
      paginationSize: textIn(options, 'paginationSize'),
    }),
    fields: fields.fields,
    disaggregated: true,
    notes,
  };
}

function encodedColumn(fieldName: string, column: Fields, order: number): Readonly<Record<string, unknown>> {
  return { fieldName, ...columnOptions(column), visible: true, order };
}

function columnOptions(column: Fields): Fields {
  const title = textIn(column, 'title') ?? textIn(column, 'name');
  return {
    ...given(Object.fromEntries(kept.map((key) => [key, own(column, key)]))),
    ...given({ displayName: title, title }),
  };
}
