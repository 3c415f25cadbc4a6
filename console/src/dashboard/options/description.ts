/** What a chart shows, in words, for those who do not see it: made from the series that are drawn. */
import { formatted } from '../formats.ts';
import { fieldsIn, fieldsOf, listIn, textIn } from '../reading.ts';
import type { Fields } from '../../api/dashboard-documents.ts';
import type { ChartOption } from './look.ts';

/** Most values of one series that are said; all of them stand in the figures beside the chart. */
const most = 60;

const kinds: Readonly<Record<string, string>> = {
  bar: 'bars',
  line: 'line',
  pie: 'pie',
  scatter: 'points',
  heatmap: 'heat map',
  funnel: 'funnel',
  sankey: 'flows',
  boxplot: 'boxes',
};

export function descriptionOf(title: string, option: ChartOption): string {
  const drawn = fieldsOf(option);
  const series = listIn(drawn, 'series').map((each) => {
    const values = namedValues(drawn, each);
    const name = textIn(each, 'name') ?? '';
    return `${name === '' ? '' : `${name}, `}${kinds[textIn(each, 'type') ?? ''] ?? 'chart'}: ${values.slice(0, most).join('; ')}${values.length > most ? `; and ${values.length - most} more` : ''}.`;
  });
  return `${title}. ${series.join(' ')}`.trim();
}

function namedValues(drawn: Fields, series: Fields): string[] {
  const data = Array.isArray(series['data']) ? (series['data'] as readonly unknown[]) : [];
  const [across, down] = [categoriesOf(drawn, 'xAxis'), categoriesOf(drawn, 'yAxis')];
  const along = across.length > 0 ? across : down;
  return data.flatMap((entry, index) => {
    if (entry === null) return [];
    if (textIn(series, 'type') === 'heatmap' && Array.isArray(entry))
      return [
        `${String(across[Number(entry[0])])} and ${String(down[Number(entry[1])])} is ${formatted(entry[2])}`,
      ];
    if (Array.isArray(entry))
      return [
        textIn(series, 'type') === 'scatter'
          ? `${formatted(entry[0])} and ${formatted(entry[1])}`
          : `${String(along[index] ?? '')} is ${entry.map((part) => formatted(part)).join(', ')}`,
      ];
    if (typeof entry === 'object')
      return [`${textIn(fieldsOf(entry), 'name') ?? ''} is ${formatted(fieldsOf(entry)['value'])}`];
    return [`${String(along[index] ?? index + 1)} is ${formatted(entry)}`];
  });
}

function categoriesOf(drawn: Fields, axis: string): readonly unknown[] {
  const data = fieldsIn(drawn, axis)['data'];
  return Array.isArray(data) ? data : [];
}
