/** Chart, drawn by ECharts as SVG. A separate bundle that loads with the first chart. */
import {
  BarChart,
  BoxplotChart,
  FunnelChart,
  HeatmapChart,
  LineChart,
  PieChart,
  SankeyChart,
  ScatterChart,
} from 'echarts/charts';
import { GridComponent, LegendComponent, TooltipComponent, VisualMapComponent } from 'echarts/components';
import { init, use as register, type ECharts } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { describeChart } from './options/chart-description.ts';
import type { ChartOption, ChartTheme } from './options/chart-theme.ts';

register([
  BarChart,
  BoxplotChart,
  FunnelChart,
  HeatmapChart,
  LineChart,
  PieChart,
  SankeyChart,
  ScatterChart,
  GridComponent,
  LegendComponent,
  TooltipComponent,
  VisualMapComponent,
  SVGRenderer,
]);

interface ChartProps {
  readonly title: string;
  /** Creates the option of the chart for the theme of the page. */
  readonly createOption: (theme: ChartTheme) => ChartOption;
}

export function Chart({ title, createOption }: ChartProps) {
  const element = useRef<HTMLDivElement>(null);
  const chart = useRef<ECharts | null>(null);
  const dark = useDarkMode();
  useEffect(() => {
    if (element.current === null) return undefined;
    const made = init(element.current, null, { renderer: 'svg' });
    chart.current = made;
    const resized = new ResizeObserver(() => made.resize());
    resized.observe(element.current);
    return () => {
      resized.disconnect();
      made.dispose();
      chart.current = null;
    };
  }, []);
  useEffect(() => {
    const shown = createOption(readTheme(dark));
    chart.current?.setOption(shown, { notMerge: true });
    element.current?.setAttribute('aria-label', describeChart(title, shown));
  }, [createOption, title, dark]);
  return <div className="drawing-area" role="img" aria-label={title} ref={element} />;
}

/** Returns whether the system of the user prefers dark mode. */
function useDarkMode(): boolean {
  return useSyncExternalStore(subscribeToDarkMode, () => matchMedia('(prefers-color-scheme: dark)').matches);
}

function subscribeToDarkMode(listener: () => void): () => void {
  const query = matchMedia('(prefers-color-scheme: dark)');
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

function readTheme(dark: boolean): ChartTheme {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  return {
    dark,
    text: colour('--text'),
    mutedText: colour('--soft'),
    line: colour('--line'),
    card: colour('--card'),
  };
}
