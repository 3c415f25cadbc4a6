/** Maps funnels, Sankey diagrams and word clouds. */
import { getObject, omitUndefined, isFalse, isTrue, getText } from '../json-fields.ts';
import { parseNumberFormat } from './number-format.ts';
import { createFieldSet, type VisualizationInput, type WidgetDraft } from './visual.ts';

export function mapFunnel({ options }: VisualizationInput): WidgetDraft | undefined {
  const [step, value] = [getObject(options, 'stepCol'), getObject(options, 'valueCol')];
  const [stepColumn, valueColumn] = [getText(step, 'colName'), getText(value, 'colName')];
  if (stepColumn === undefined || valueColumn === undefined) return undefined;
  const notes: string[] = [];
  const fields = createFieldSet(notes);
  const sortKey = getText(getObject(options, 'sortKeyCol'), 'colName');
  const byKey = isFalse(options, 'autoSort') && sortKey !== undefined;
  const categories = fields.addColumn(stepColumn);
  const values = fields.addColumn(valueColumn);
  const reversed = isTrue(getObject(options, 'sortKeyCol'), 'reverse') ? '-reversed' : '';
  const sort = byKey
    ? { by: `measure${reversed}`, measure: { fieldName: fields.addColumn(sortKey) } }
    : { by: 'x-reversed' };
  return {
    type: 'funnel',
    notes,
    encodings: {
      x: {
        fieldName: values,
        displayName: getText(value, 'displayAs') ?? valueColumn,
        scale: { type: 'quantitative' },
        ...omitUndefined({ format: parseNumberFormat(getText(options, 'numberFormat')) }),
      },
      y: {
        fieldName: categories,
        displayName: getText(step, 'displayAs') ?? stepColumn,
        scale: { type: 'categorical', sort },
      },
    },
    fields: fields.fields,
    disaggregated: true,
  };
}

/** Maps a Sankey diagram: stages are the columns stage1, stage2 and so on, weights the column value. */
export function mapSankey({ columns }: VisualizationInput): WidgetDraft {
  const notes: string[] = [];
  const fields = createFieldSet(notes);
  const found = columns?.filter((column) => /^stage\d+$/i.test(column)) ?? [];
  if (found.length < 2)
    notes.push('the columns stage1 and stage2 are used as steps, and the column value as their weight');
  const stages = (found.length < 2 ? ['stage1', 'stage2'] : found).map((column) => ({
    fieldName: fields.addColumn(column),
    displayName: column,
  }));
  return {
    type: 'sankey',
    encodings: { value: { fieldName: fields.addTransformed('value', 'SUM') }, stages },
    fields: fields.fields,
    disaggregated: false,
    notes,
  };
}

export function mapWordCloud({ options, columns }: VisualizationInput): WidgetDraft | undefined {
  const column = getText(options, 'column') ?? columns?.[0];
  if (column === undefined) return undefined;
  const notes: string[] = [];
  const fields = createFieldSet(notes);
  const text = fields.addColumn(column);
  const frequency = getText(options, 'frequenciesColumn');
  const size = frequency === undefined ? fields.addRowCount() : fields.addTransformed(frequency, 'SUM');
  if (frequency === undefined) notes.push(`whole values of ${column} are counted, not the words in them`);
  const limits = ['wordLengthLimit', 'wordCountLimit'].filter((key) =>
    Object.values(getObject(options, key)).some((limit) => typeof limit === 'number'),
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
