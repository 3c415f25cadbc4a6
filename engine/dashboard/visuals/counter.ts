/** Maps counters: one value, and its target. */
import { omitUndefined, isTrue, getNumber, getText, type JsonObject } from '../json-fields.ts';
import { parseNumberFormat, createPlainFormat } from './number-format.ts';
import { createFieldSet, type VisualizationInput, type WidgetDraft } from './visual.ts';

export function mapCounter({ options, columns }: VisualizationInput): WidgetDraft | undefined {
  const notes: string[] = [];
  const fields = createFieldSet(notes);
  const column = getText(options, 'counterColName');
  // Without a column a classic counter shows the first one.
  const name = isTrue(options, 'countRow')
    ? fields.addRowCount()
    : column === undefined
      ? columns?.slice(0, 1).map(fields.addColumn)[0]
      : fields.addColumn(column);
  if (name === undefined) return undefined;
  const target = getText(options, 'targetColName');
  const format = formatOf(options);
  const isRowOfTarget = getNumber(options, 'targetRowNumber') !== undefined;
  if (isTrue(options, 'countRow') && target !== undefined)
    notes.push(
      `the number of rows cannot be compared with the column ${target} in one widget; the target is left out`,
    );
  const compared = target === undefined || isTrue(options, 'countRow') ? undefined : fields.addColumn(target);
  return {
    type: 'counter',
    encodings: omitUndefined({
      value: omitUndefined({
        fieldName: name,
        displayName: getText(options, 'counterLabel') ?? name,
        rowNumber: isTrue(options, 'countRow') ? undefined : rowNumber(options, 'rowNumber'),
        format,
        ...formatTemplateOf(options),
      }),
      target:
        compared === undefined
          ? undefined
          : omitUndefined({
              fieldName: compared,
              displayName: compared,
              rowNumber: isRowOfTarget ? rowNumber(options, 'targetRowNumber') : undefined,
              format: isTrue(options, 'formatTargetValue') ? format : undefined,
            }),
    }),
    fields: fields.fields,
    disaggregated: !fields.hasAggregates(),
    notes,
  };
}

/** Rows are counted from 1; a negative number counts from the end. */
function rowNumber(options: JsonObject, key: string): number {
  return Math.trunc(getNumber(options, key) ?? 1) || 1;
}

function formatOf(options: JsonObject): unknown {
  const places = getNumber(options, 'stringDecimal');
  return (
    parseNumberFormat(getText(options, 'numberFormat')) ??
    (places === undefined ? undefined : createPlainFormat(places))
  );
}

/** Returns the text before and after the value. */
function formatTemplateOf(options: JsonObject): JsonObject {
  const [before = '', after = ''] = [getText(options, 'stringPrefix'), getText(options, 'stringSuffix')];
  return before === '' && after === '' ? {} : { formatTemplate: `${before}{{ @formatted }}${after}` };
}
