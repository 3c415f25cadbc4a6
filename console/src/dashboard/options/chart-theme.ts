/** Common options of charts: colours, legend and space for the axes. */
import type { EChartsCoreOption } from 'echarts/core';
import type { JsonObject } from '../../api/dashboard-documents.ts';
import { getText } from '../encodings.ts';

export type ChartOption = EChartsCoreOption;

/** Colours of the light or dark page. */
export interface ChartTheme {
  readonly dark: boolean;
  readonly text: string;
  readonly mutedText: string;
  readonly line: string;
  readonly card: string;
}

/** Distinguishable on light and dark backgrounds, also with common colour blindness. */
const palette = [
  '#3b82c4',
  '#e0852f',
  '#2f9e78',
  '#c9527a',
  '#8a6fd1',
  '#b8962e',
  '#4bb0c9',
  '#9a6b4f',
  '#7a8794',
  '#d0605e',
];

export function colourOf(index: number): string {
  return palette[index % palette.length] ?? '#3b82c4';
}

interface BaseOptionSettings {
  readonly legend: JsonObject;
  readonly names: readonly string[];
  readonly isAxis: boolean;
}

export function createBaseOption(
  look: ChartTheme,
  { legend, names, isAxis }: BaseOptionSettings,
): ChartOption {
  const place = getText(legend, 'position') ?? 'top';
  const hasLegend = legend['hide'] !== true && names.length > 1;
  const isSide = place === 'left' || place === 'right';
  return {
    color: palette,
    animation: false,
    useUTC: true,
    textStyle: { color: look.text, fontFamily: 'system-ui, sans-serif' },
    legend: hasLegend
      ? {
          type: 'scroll',
          [place]: 0,
          ...(isSide && { orient: 'vertical' }),
          textStyle: { color: look.text },
          pageTextStyle: { color: look.text },
        }
      : { show: false },
    ...(isAxis && {
      grid: {
        left: hasLegend && place === 'left' ? 110 : 6,
        right: hasLegend && place === 'right' ? 110 : 12,
        top: hasLegend && place === 'top' ? 38 : 14,
        bottom: hasLegend && place === 'bottom' ? 34 : 6,
        outerBoundsMode: 'same',
        outerBoundsContain: 'all',
      },
    }),
  };
}
