/** Text alternative of a chart, built from the drawn series. */
import { formatValue } from '../formats.ts';
import { getObject, toJsonObject, getList, getText } from '../encodings.ts';
import type { JsonObject } from '../../api/dashboard-documents.ts';
import type { ChartOption } from './chart-theme.ts';

/** Maximum of values per series; the data table of the widget has all of them. */
const maximumValues = 60;

const kindLabels: Readonly<Record<string, string>> = {
  bar: 'bars',
  line: 'line',
  pie: 'pie',
  scatter: 'points',
  heatmap: 'heat map',
  funnel: 'funnel',
  sankey: 'flows',
  boxplot: 'boxes',
};

export function describeChart(title: string, option: ChartOption): string {
  const drawn = toJsonObject(option);
  const series = getList(drawn, 'series').map((each) => {
    const values = listNamedValues(drawn, each);
    const name = getText(each, 'name') ?? '';
    return `${name === '' ? '' : `${name}, `}${kindLabels[getText(each, 'type') ?? ''] ?? 'chart'}: ${values.slice(0, maximumValues).join('; ')}${values.length > maximumValues ? `; and ${values.length - maximumValues} more` : ''}.`;
  });
  return `${title}. ${series.join(' ')}`.trim();
}

function listNamedValues(drawn: JsonObject, series: JsonObject): string[] {
  const data = Array.isArray(series['data']) ? (series['data'] as readonly unknown[]) : [];
  const [across, down] = [categoriesOf(drawn, 'xAxis'), categoriesOf(drawn, 'yAxis')];
  const along = across.length > 0 ? across : down;
  return data.flatMap((entry, index) => {
    if (entry === null) return [];
    if (getText(series, 'type') === 'heatmap' && Array.isArray(entry))
      return [
        `${String(across[Number(entry[0])])} and ${String(down[Number(entry[1])])} is ${formatValue(entry[2])}`,
      ];
    if (Array.isArray(entry))
      return [
        getText(series, 'type') === 'scatter'
          ? `${formatValue(entry[0])} and ${formatValue(entry[1])}`
          : `${String(along[index] ?? '')} is ${entry.map((part) => formatValue(part)).join(', ')}`,
      ];
    if (typeof entry === 'object')
      return [
        `${getText(toJsonObject(entry), 'name') ?? ''} is ${formatValue(toJsonObject(entry)['value'])}`,
      ];
    return [`${String(along[index] ?? index + 1)} is ${formatValue(entry)}`];
  });
}

function categoriesOf(drawn: JsonObject, axis: string): readonly unknown[] {
  const data = getObject(drawn, axis)['data'];
  return Array.isArray(data) ? data : [];
}
