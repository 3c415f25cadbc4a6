/**
 * Converts a classic dashboard to the modern format (spec 4.4); the result depends on the arguments alone.
 */
import type { ClassicDashboard, ClassicQuery, ClassicVisualization, ClassicWidget } from './classic.ts';
import { createDatasetCollection, type DatasetCollection } from './dataset-collection.ts';
import { getOrAddDataset, splitLines } from './datasets.ts';
import { createChoices, createFilter } from './filters.ts';
import { parseClassicPosition, placeWidgets, placeFilters } from './layout.ts';
import { quote } from '../validation/messages.ts';
import type { Frame, ModernDashboard, ModernPage, ModernWidget, PlacedWidget, Position } from './modern.ts';
import { createNameGenerator } from './names.ts';
import { selectedColumns } from './query-columns.ts';
import { getObject, toJsonObject, isTrue, getText } from './json-fields.ts';
import { mapVisualization } from './visuals/map-visualization.ts';
import { widgetVersionOf } from './widget-encodings.ts';

export interface MigrationOptions {
  /** Id of the new dashboard. */
  readonly dashboardId: string;
  /** True when `{{ p }}` is rewritten as `:p`; otherwise queries are unchanged. */
  readonly updateParameterSyntax: boolean;
}

export interface ConvertedDashboard {
  readonly dashboard: ModernDashboard;
  /** Warehouse of the queries; empty when the classic dashboard names none. */
  readonly warehouseId: string;
  /** Sentences on what was approximated or left out. */
  readonly warnings: readonly string[];
}

/** Limits of the modern format: widgets of a page, pages and datasets of a dashboard. */
const formatLimits = { widgets: 100, pages: 10, datasets: 100 };

/** Visible widget with its position in the classic dashboard. */
interface UnplacedWidget {
  readonly widget: ModernWidget;
  readonly position: Position;
}

export function convertDashboard(
  classic: ClassicDashboard,
  { dashboardId, updateParameterSyntax }: MigrationOptions,
): ConvertedDashboard {
  const warnings: string[] = [];
  const nameFor = createNameGenerator();
  const all = createDatasetCollection(updateParameterSyntax, nameFor, warnings);
  const widgets = classic.widgets ?? [];
  const unplaced = widgets.flatMap((widget, index) => toModernWidget(all, widget, index) ?? []);
  const queryById = indexQueries(classic);
  // The query of a filter's choices may have parameters and so add bindings to another filter: the datasets
  // of all choices are created before the filters.
  const shown = [...all.controls]
    .filter(([, control]) => control.shown)
    .map(([id, control]) => ({ id, control, choices: createChoices(all, control, queryById) }));
  const filters = shown.map(({ id, control, choices }) =>
    createFilter(nameFor(`filter ${id}`), control, choices, dashboardId),
  );
  const pages = createPages(classic.name, filters, unplaced, nameFor);
  if (isTrue(toJsonObject(classic), 'dashboard_filters_enabled') && hasColumnFilters(classic))
    warnings.push(
      'Filters that a query column defines (such as city::filter) are not migrated; add them to the new dashboard.',
    );
  if (pages.length > formatLimits.pages)
    warnings.push(`The dashboard has ${pages.length} pages; the modern format allows ${formatLimits.pages}.`);
  if (all.datasets.length > formatLimits.datasets)
    warnings.push(
      `The dashboard has ${all.datasets.length} datasets; the modern format allows ${formatLimits.datasets}.`,
    );
  const warehouseId =
    widgets
      .map(({ visualization }) => visualization?.query?.data_source_id)
      .find((source) => source !== undefined && source !== '') ?? '';
  return { dashboard: { datasets: all.datasets, pages }, warehouseId, warnings };
}

/** Names of columns that a classic dashboard shows as filters, such as `city::filter` and `city__multi-filter`. */
const columnFilterPattern = /(?:::|__)(?:multi-?)?filter\b/i;

function hasColumnFilters({ widgets = [] }: ClassicDashboard): boolean {
  return widgets.some(({ visualization }) => columnFilterPattern.test(visualization?.query?.query ?? ''));
}

/** Returns all queries of the dashboard that have an id. */
function indexQueries({ widgets = [], queries = [] }: ClassicDashboard): ReadonlyMap<string, ClassicQuery> {
  const known = [...queries, ...widgets.flatMap(({ visualization }) => visualization?.query ?? [])];
  return new Map(
    known.flatMap((query) => (query.id === undefined ? [] : [[String(query.id), query] as const])),
  );
}

/** Converts a widget; undefined for an empty or hidden one. The dataset of a hidden widget is kept. */
function toModernWidget(
  all: DatasetCollection,
  widget: ClassicWidget,
  index: number,
): UnplacedWidget | undefined {
  const options = toJsonObject(widget.options);
  const { visualization } = widget;
  const isHidden = isTrue(options, 'isHidden');
  const name = all.createName(`widget ${index} ${String(widget.id ?? '')}`);
  const position = parseClassicPosition(options);
  if (visualization === undefined) {
    const textBox = toTextBox(all, widget, index, { name, isHidden });
    return textBox && { widget: textBox, position };
  }
  const query = visualization.query ?? {};
  const title = titleOf(visualization, query, getText(options, 'title'));
  if (query.query === undefined) {
    const left = replaceDeletedQuery(all, name, title || `Widget ${index + 1}`, isHidden);
    return left && { widget: left, position };
  }
  const { name: datasetName, displayName } = getOrAddDataset(all, query, {
    mappings: getObject(options, 'parameterMappings'),
    isShown: !isHidden,
    title,
  });
  if (isHidden) {
    all.warnings.push(
      `Widget "${title}" is hidden and was left out; its query is kept as the dataset "${displayName}".`,
    );
    return undefined;
  }
  const { visual, remark } = mapVisualization(visualization.type ?? '', {
    options: toJsonObject(visualization.options),
    columns: selectedColumns(all.tokenize(query.query ?? '')),
  });
  if (remark !== undefined) all.warnings.push(`Widget "${title}": ${remark}`);
  for (const note of visual.notes) all.warnings.push(`Widget "${title}": ${note}.`);
  const description = [getText(options, 'description') ?? visualization.description?.trim(), remark]
    .filter((part) => part !== undefined && part !== '')
    .join('\n');
  return {
    position,
    widget: {
      name,
      queries: [
        {
          name: 'main_query',
          query: { datasetName, fields: [...visual.fields], disaggregated: visual.disaggregated },
        },
      ],
      spec: {
        version: widgetVersionOf(visual.type),
        widgetType: visual.type,
        encodings: visual.encodings,
        frame: frameOf(title, description),
        ...(visual.mark !== undefined && { mark: visual.mark }),
      },
    },
  };
}

/** Returns the text box in place of a widget without a query; undefined for a hidden one. */
function replaceDeletedQuery(
  { warnings }: DatasetCollection,
  name: string,
  title: string,
  isHidden: boolean,
): ModernWidget | undefined {
  const left = isHidden ? 'it was left out' : 'a text box takes its place';
  warnings.push(`Widget "${title}": its query was deleted, so ${left}.`);
  const lines = splitLines(`**${title}**\n\nThe query of this widget was deleted.`);
  return isHidden ? undefined : { name, multilineTextboxSpec: { lines } };
}

/** Converts a widget without a visualization; undefined for an empty or hidden one. */
function toTextBox(
  { warnings }: DatasetCollection,
  { text }: ClassicWidget,
  index: number,
  { name, isHidden }: { readonly name: string; readonly isHidden: boolean },
): ModernWidget | undefined {
  if (text !== undefined && !isHidden) return { name, multilineTextboxSpec: { lines: splitLines(text) } };
  warnings.push(
    text === undefined
      ? `Widget ${index + 1} has neither text nor visualization and was left out.`
      : `Text box ${index + 1} is hidden and was left out: ${quote(text)}.`,
  );
  return undefined;
}

/** Names that repeat only the type of a visualization, perhaps with a number. */
const genericNamePattern =
  /^(?:(?:new )?visualization|table|chart|(?:bar|line|column|area|pie|scatter|bubble|combo|box|heatmap|histogram)(?: chart)?|counter|pivot(?: table)?|cohort|funnel|map(?: \(\w+\))?|sankey|sunburst(?: sequence)?|word cloud|box ?plot|details(?: view)?)(?: \d+)?$/i;

/**
 * Returns the title of the widget; without one, the name of the query as the classic dashboard shows it, after the
 * name of the visualization if that says more than its type.
 */
function titleOf(
  { name = '' }: ClassicVisualization,
  { name: queryName = '' }: ClassicQuery,
  title: string | undefined,
): string {
  const ownName = name.trim();
  const ofQuery = queryName.trim();
  if (title !== undefined) return title.trim();
  if (ownName === '' || (genericNamePattern.test(ownName) && ofQuery !== '')) return ofQuery;
  const says = ownName.toLowerCase();
  return ofQuery === '' || says.includes(ofQuery.toLowerCase()) ? ownName : `${ownName} - ${ofQuery}`;
}

function frameOf(title: string, description: string): Frame {
  return {
    showTitle: title !== '',
    title,
    ...(description !== '' && { showDescription: true, description }),
  };
}

/** Distributes the widgets over as many pages as they need; each page has the filters of its widgets. */
function createPages(
  title: string,
  filters: readonly ModernWidget[],
  widgets: readonly UnplacedWidget[],
  nameFor: (text: string) => string,
): ModernPage[] {
  const perPage = Math.max(1, formatLimits.widgets - filters.length);
  const ordered =
    widgets.length <= perPage
      ? widgets
      : widgets.toSorted((a, b) => a.position.y - b.position.y || a.position.x - b.position.x);
  const count = Math.max(1, Math.ceil(ordered.length / perPage));
  return Array.from({ length: count }, (_, index): ModernPage => {
    const part = ordered.slice(index * perPage, (index + 1) * perPage);
    return {
      name: nameFor(`page ${index}`),
      displayName: index === 0 ? title : `${title} (${index + 1})`,
      layout: createPageLayout(
        createPageFilters(filters, part, index, nameFor),
        index === 0 ? part : moveToTop(part),
      ),
      pageType: 'PAGE_TYPE_CANVAS',
    };
  });
}

/** Moves the widgets of a further page to its top. */
function moveToTop(widgets: readonly UnplacedWidget[]): UnplacedWidget[] {
  const top = Math.min(...widgets.map(({ position }) => position.y));
  return widgets.map(({ widget, position }) => ({ widget, position: { ...position, y: position.y - top } }));
}

/**
 * Returns the filters of a page: all on the first; on others copies of those that affect a widget of the
 * page.
 */
function createPageFilters(
  filters: readonly ModernWidget[],
  widgets: readonly UnplacedWidget[],
  page: number,
  nameFor: (text: string) => string,
): ModernWidget[] {
  if (page === 0) return [...filters];
  const shown = new Set(
    widgets.flatMap(({ widget }) => (widget.queries ?? []).map(({ query }) => query.datasetName)),
  );
  return filters
    .filter(({ queries = [] }) => queries.some(({ query }) => shown.has(query.datasetName)))
    .map((filter) => ({ ...filter, name: nameFor(`filter ${filter.name} of page ${page}`) }));
}

function createPageLayout(
  filters: readonly ModernWidget[],
  widgets: readonly UnplacedWidget[],
): PlacedWidget[] {
  const { positions, rows } = placeFilters(filters.length);
  const places = placeWidgets(
    widgets.map(({ position }) => position),
    rows,
  );
  return [
    ...zipPlacements(filters, positions),
    ...zipPlacements(
      widgets.map(({ widget }) => widget),
      places,
    ),
  ];
}

function zipPlacements(widgets: readonly ModernWidget[], positions: readonly Position[]): PlacedWidget[] {
  return widgets.flatMap((widget, index) => {
    const position = positions[index];
    return position === undefined ? [] : [{ widget, position }];
  });
}
