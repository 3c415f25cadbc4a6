/**
 * From a classic dashboard to one of the newer format (spec 4.4): nothing but its arguments decides the
 * result.
 */
import type { ClassicDashboard, ClassicQuery, ClassicVisualization, ClassicWidget } from './classic.ts';
import { createDatasetCollection, type DatasetCollection } from './dataset-collection.ts';
import { getOrAddDataset, splitLines } from './datasets.ts';
import { createChoices, createFilter } from './filters.ts';
import { parseClassicPosition, placeWidgets, placeFilters } from './layout.ts';
import { quote } from '../validation/messages.ts';
import {
  widgetVersionOf,
  type Frame,
  type ModernDashboard,
  type ModernPage,
  type ModernWidget,
  type PlacedWidget,
  type Position,
} from './modern.ts';
import { createNameGenerator } from './names.ts';
import { selectedColumns } from './query-columns.ts';
import { getObject, toJsonObject, isTrue, getText } from './json-fields.ts';
import { mapVisualization } from './visuals/map-visualization.ts';

export interface MigrationOptions {
  /** Id of the new dashboard. */
  readonly dashboardId: string;
  /** Whether `{{ p }}` becomes `:p`; else the text of queries stays byte for byte. */
  readonly updateParameterSyntax: boolean;
}

export interface ConvertedDashboard {
  readonly dashboard: ModernDashboard;
  /** What runs the queries; empty when the classic dashboard does not say. */
  readonly warehouseId: string;
  /** What was approximated or left out, one sentence each. */
  readonly warnings: readonly string[];
}

/** The newer format takes so many widgets on a page, pages in a dashboard, and datasets. */
const formatLimits = { widgets: 100, pages: 10, datasets: 100 };

/** A widget that is shown, and the place that it had. */
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
  const wanted = widgets.flatMap((widget, index) => toModernWidget(all, widget, index) ?? []);
  const queryById = indexQueries(classic);
  // The query of a filter's choices may have parameters itself, and so be set by another filter: all queries
  // come first.
  const shown = [...all.controls]
    .filter(([, control]) => control.shown)
    .map(([id, control]) => ({ id, control, choices: createChoices(all, control, queryById) }));
  const filters = shown.map(({ id, control, choices }) =>
    createFilter(nameFor(`filter ${id}`), control, choices, dashboardId),
  );
  const pages = createPages(classic.name, filters, wanted, nameFor);
  if (isTrue(toJsonObject(classic), 'dashboard_filters_enabled'))
    warnings.push(
      'Filters that a column of a query makes (such as city::filter) are not carried over; add them to the new dashboard.',
    );
  if (pages.length > formatLimits.pages)
    warnings.push(`The dashboard has ${pages.length} pages; the new format takes ${formatLimits.pages}.`);
  if (all.datasets.length > formatLimits.datasets)
    warnings.push(
      `The dashboard has ${all.datasets.length} datasets; the new format takes ${formatLimits.datasets}.`,
    );
  const warehouseId =
    widgets
      .map(({ visualization }) => visualization?.query?.data_source_id)
      .find((source) => source !== undefined && source !== '') ?? '';
  return { dashboard: { datasets: all.datasets, pages }, warehouseId, warnings };
}

/** The queries that widgets show and those beside them. */
function indexQueries({ widgets = [], queries = [] }: ClassicDashboard): ReadonlyMap<string, ClassicQuery> {
  const known = [...queries, ...widgets.flatMap(({ visualization }) => visualization?.query ?? [])];
  return new Map(
    known.flatMap((query) => (query.id === undefined ? [] : [[String(query.id), query] as const])),
  );
}

/** Undefined for a widget that shows nothing; the dataset of a hidden one is kept. */
function toModernWidget(
  all: DatasetCollection,
  widget: ClassicWidget,
  index: number,
): UnplacedWidget | undefined {
  const options = toJsonObject(widget.options);
  const { visualization, text = '' } = widget;
  const isHidden = isTrue(options, 'isHidden');
  const name = all.createName(`widget ${index} ${String(widget.id ?? '')}`);
  const position = parseClassicPosition(options);
  if (visualization === undefined) {
    if (widget.text === undefined)
      all.warnings.push(`Widget ${index + 1} has neither text nor visualization and was left out.`);
    if (widget.text === undefined) return undefined;
    if (isHidden) all.warnings.push(`Text box ${index + 1} is hidden and was left out: ${quote(text)}.`);
    return isHidden
      ? undefined
      : { widget: { name, multilineTextboxSpec: { lines: splitLines(text) } }, position };
  }
  const query = visualization.query ?? {};
  const title = titleOf(visualization, query, getText(options, 'title'));
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

/** Names that say only of which type a visualization is. */
const genericNamePattern = /^(?:table|chart|counter|pivot|pivot table|visualization|new visualization)$/i;

/** The title that the widget was given, else the name of the visualization, else that of the query. */
function titleOf(
  { name = '' }: ClassicVisualization,
  { name: queryName = '' }: ClassicQuery,
  given: string | undefined,
): string {
  const itsName = name.trim();
  const ofQuery = queryName.trim();
  return (
    given?.trim() ??
    (itsName === '' || (genericNamePattern.test(itsName) && ofQuery !== '') ? ofQuery : itsName)
  );
}

function frameOf(title: string, description: string): Frame {
  return {
    showTitle: title !== '',
    title,
    ...(description !== '' && { showDescription: true, description }),
  };
}

/** One page, or as many as the widgets need. Filters stand on the first; those of other pages stand there. */
function createPages(
  title: string,
  filters: readonly ModernWidget[],
  wanted: readonly UnplacedWidget[],
  nameFor: (text: string) => string,
): ModernPage[] {
  const perPage = Math.max(1, formatLimits.widgets - filters.length);
  const ordered =
    wanted.length <= perPage
      ? wanted
      : wanted.toSorted((a, b) => a.position.y - b.position.y || a.position.x - b.position.x);
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

/** The rest of a long dashboard begins at the top of its page. */
function moveToTop(wanted: readonly UnplacedWidget[]): UnplacedWidget[] {
  const top = Math.min(...wanted.map(({ position }) => position.y));
  return wanted.map(({ widget, position }) => ({ widget, position: { ...position, y: position.y - top } }));
}

/** The filters that reach a widget of the page, under names of their own on every page but the first. */
function createPageFilters(
  filters: readonly ModernWidget[],
  wanted: readonly UnplacedWidget[],
  page: number,
  nameFor: (text: string) => string,
): ModernWidget[] {
  if (page === 0) return [...filters];
  const shown = new Set(
    wanted.flatMap(({ widget }) => (widget.queries ?? []).map(({ query }) => query.datasetName)),
  );
  return filters
    .filter(({ queries = [] }) => queries.some(({ query }) => shown.has(query.datasetName)))
    .map((filter) => ({ ...filter, name: nameFor(`filter ${filter.name} of page ${page}`) }));
}

function createPageLayout(
  filters: readonly ModernWidget[],
  wanted: readonly UnplacedWidget[],
): PlacedWidget[] {
  const { positions, rows } = placeFilters(filters.length);

  const places = placeWidgets(
    wanted.map(({ position }) => position),
    rows,
  );
  return [
    ...zipPlacements(filters, positions),
    ...zipPlacements(
      wanted.map(({ widget }) => widget),
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
