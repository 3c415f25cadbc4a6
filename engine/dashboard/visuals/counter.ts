/** Counters: one value, and what it is compared with. */
import { given, isTrue, numberIn, textIn, type Fields } from '../reading.ts';
import { numberFormat, plainNumber } from './formats.ts';
import { fieldSet, type Shown, type Visual } from './visual.ts';

export function counter({ options, columns }: Shown): Visual | undefined {
  const notes: string[] = [];
  const fields = fieldSet(notes);
  const column = textIn(options, 'counterColName');
  // Without a column a classic counter shows the first one.
  const name = isTrue(options, 'countRow')
    ? fields.count()
    : column === undefined
      ? columns?.slice(0, 1).map(fields.plain)[0]
      : fields.plain(column);
  if (name === undefined) return undefined;
  const target = textIn(options, 'targetColName');
  const format = formatOf(options);
  const isRowOfTarget = numberIn(options, 'targetRowNumber') !== undefined;
  if (isTrue(options, 'countRow') && target !== undefined)
    notes.push(
      `the number of rows cannot be compared with the column ${target} in one widget; the target is left out`,
    );
  const compared = target === undefined || isTrue(options, 'countRow') ? undefined : fields.plain(target);
  return {
    type: 'counter',
    encodings: given({
      value: given({
        fieldName: name,
        displayName: textIn(options, 'counterLabel') ?? name,
        rowNumber: isTrue(options, 'countRow') ? undefined : rowNumber(options, 'rowNumber'),
        format,
        ...around(options),
      }),
      target:
        compared === undefined
          ? undefined
          : given({
              fieldName: compared,
              displayName: compared,
              rowNumber: isRowOfTarget ? rowNumber(options, 'targetRowNumber') : undefined,
              format: isTrue(options, 'formatTargetValue') ? format : undefined,
            }),
    }),
    fields: fields.fields,
    disaggregated: !fields.aggregates(),
    notes,
  };
}

/** Rows are counted from 1; a negative number counts from the end. */
function rowNumber(options: Fields, key: string): number {
  return Math.trunc(numberIn(options, key) ?? 1) || 1;
}

function formatOf(options: Fields): unknown {
  const places = numberIn(options, 'stringDecimal');
  return (
    numberFormat(textIn(options, 'numberFormat')) ?? (places === undefined ? undefined : plainNumber(places))
  );
}

/** What stands before and behind the value. */
function around(options: Fields): Fields {
  const [before = '', after = ''] = [textIn(options, 'stringPrefix'), textIn(options, 'stringSuffix')];
  return before === '' && after === '' ? {} : { formatTemplate: `${before}{{ @formatted }}${after}` };
}
