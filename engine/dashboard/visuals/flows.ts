/** Funnels, flows and clouds of words. */
import { fieldsIn, given, isFalse, isTrue, textIn } from '../reading.ts';
import { numberFormat } from './formats.ts';
import { fieldSet, type Shown, type Visual } from './visual.ts';

export function funnel({ options }: Shown): Visual | undefined {
  const [step, value] = [fieldsIn(options, 'stepCol'), fieldsIn(options, 'valueCol')];
  const [stepColumn, valueColumn] = [textIn(step, 'colName'), textIn(value, 'colName')];
  if (stepColumn === undefined || valueColumn === undefined) return undefined;
  const notes: string[] = [];
  const fields = fieldSet(notes);
  const sortKey = textIn(fieldsIn(options, 'sortKeyCol'), 'colName');
  const byKey = isFalse(options, 'autoSort') && sortKey !== undefined;
  const categories = fields.plain(stepColumn);
  const values = fields.plain(valueColumn);
  const reversed = isTrue(fieldsIn(options, 'sortKeyCol'), 'reverse') ? '-reversed' : '';
  const sort = byKey
    ? { by: `measure${reversed}`, measure: { fieldName: fields.plain(sortKey) } }
    : { by: 'x-reversed' };
  return {
    type: 'funnel',
    notes,
    encodings: {
      x: {
        fieldName: values,
        displayName: textIn(value, 'displayAs') ?? valueColumn,
        scale: { type: 'quantitative' },
        ...given({ format: numberFormat(textIn(options, 'numberFormat')) }),
      },
      y: {
        fieldName: categories,
        displayName: textIn(step, 'displayAs') ?? stepColumn,
        scale: { type: 'categorical', sort },
      },
    },
    fields: fields.fields,
    disaggregated: true,
  };
}

/** Steps are the columns stage1, stage2 and so on; the column value says how much flows. */
export function sankey({ columns }: Shown): Visual {
  const notes: string[] = [];
  const fields = fieldSet(notes);
  const found = columns?.filter((column) => /^stage\d+$/i.test(column)) ?? [];
  if (found.length < 2)
    notes.push('its steps are taken to be the columns stage1 and stage2, and their weight the column value');
  const stages = (found.length < 2 ? ['stage1', 'stage2'] : found).map((column) => ({
    fieldName: fields.plain(column),
    displayName: column,
  }));
  return {
    type: 'sankey',
    encodings: { value: { fieldName: fields.transformed('value', 'SUM') }, stages },
    fields: fields.fields,
    disaggregated: false,
    notes,
  };
}

export function wordCloud({ options, columns }: Shown): Visual | undefined {
  const column = textIn(options, 'column') ?? columns?.[0];
  if (column === undefined) return undefined;
  const notes: string[] = [];
  const fields = fieldSet(notes);
  const text = fields.plain(column);
  const frequency = textIn(options, 'frequenciesColumn');
  const size = frequency === undefined ? fields.count() : fields.transformed(frequency, 'SUM');
  if (frequency === undefined) notes.push(`whole values of ${column} are counted, not the words in them`);
  const limits = ['wordLengthLimit', 'wordCountLimit'].filter((key) =>
    Object.values(fieldsIn(options, key)).some((limit) => typeof limit === 'number'),
  );
  if (limits.length > 0) notes.push(`limits of words are not kept: ${limits.join(', ')}`);
  return {
    type: 'word-cloud',
    notes,
    encodings: {
      text: { fieldName: text, displayName: column },
      size: { fieldName: size, displayName: size, scale: { type: 'quantitative' } },
    },
    fields: fields.fields,
    disaggregated: false,
  };
}
