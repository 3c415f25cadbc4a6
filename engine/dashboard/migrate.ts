/**
 * From a classic dashboard to one of the newer format (spec 4.4): nothing but its arguments decides the
 * result.
 */
import type { ClassicDashboard, ClassicQuery, ClassicVisualization, ClassicWidget } from './classic.ts';
import { collection, datasetFor, linesOf, type Collection } from './datasets.ts';
import { choicesOf, filterFor } from './filters.ts';
import { classicPosition, place, placeFilters } from './layout.ts';
import { quote } from '../validation/messages.ts';
import {
  versionOf,
  type Frame,
  type ModernDashboard,
  type ModernPage,
  type ModernWidget,
  type Placed,
  type Position,
} from './modern.ts';
import { namer } from './names.ts';
import { columnsOf } from './query-columns.ts';
import { fieldsIn, fieldsOf, isTrue, textIn } from './reading.ts';
import { mapVisualization } from './visuals/map-visualization.ts';

export interface MigrationOptions {
  /** Id of the new dashboard. */
  readonly dashboardId: string;
  /** Whether `{{ p }}` becomes `:p`; else the text of queries stays byte for byte. */
  readonly updateParameterSyntax: boolean;
}

export interface Migration {
  readonly dashboard: ModernDashboard;
  /** What runs the queries; empty when the classic dashboard does not say. */
  readonly warehouseId: string;
  /** What was approximated or left out, one sentence each. */
  readonly warnings: readonly string[];
}

/** The newer format takes so many widgets on a page, pages in a dashboard, and datasets. */
const most = { widgets: 100, pages: 10, datasets: 100 };

/** A widget that is shown, and the place that it had. */
interface Wanted {
  readonly widget: ModernWidget;
  readonly position: Position;
}

export function migrate(
  classic: ClassicDashboard,
  { dashboardId, updateParameterSyntax }: MigrationOptions,
): Migration {
  const warnings: string[] = [];
  const nameFor = namer();
  const all = collection(updateParameterSyntax, nameFor, warnings);
  const widgets = classic.widgets ?? [];
  const wanted = widgets.flatMap((widget, index) => modernWidget(all, widget, index) ?? []);
  const queryById = queriesById(classic);
  // The query of a filter's choices may have parameters itself, and so be set by another filter: all queries
  // come first.
  const shown = [...all.controls]
    .filter(([, control]) => control.shown)
    .map(([id, control]) => ({ id, control, choices: choicesOf(all, control, queryById) }));
  const filters = shown.map(({ id, control, choices }) =>
    filterFor(nameFor(`filter ${id}`), control, choices, dashboardId),
  );
  const pages = pagesOf(classic.name, filters, wanted, nameFor);
  if (isTrue(fieldsOf(classic), 'dashboard_filters_enabled'))
    warnings.push(
      'Filters that a column of a query makes (such as city::filter) are not carried over; add them to the new dashboard.',
    );
  if (pages.length > most.pages)
    warnings.push(`The dashboard has ${pages.length} pages; the new format takes ${most.pages}.`);
  if (all.datasets.length > most.datasets)
    warnings.push(
      `The dashboard has ${all.datasets.length} datasets; the new format takes ${most.datasets}.`,
    );
  const warehouseId =
    widgets
      .map(({ visualization }) => visualization?.query?.data_source_id)
      .find((source) => source !== undefined && source !== '') ?? '';
  return { dashboard: { datasets: all.datasets, pages }, warehouseId, warnings };
}

/** The queries that widgets show and those beside them. */
function queriesById({ widgets = [], queries = [] }: ClassicDashboard): ReadonlyMap<string, ClassicQuery> {
  const known = [...queries, ...widgets.flatMap(({ visualization }) => visualization?.query ?? [])];
  return new Map(
    known.flatMap((query) => (query.id === undefined ? [] : [[String(query.id), query] as const])),
  );
}

/** Undefined for a widget that shows nothing; the dataset of a hidden one is kept. */
function modernWidget(all: Collection, widget: ClassicWidget, index: number): Wanted | undefined {
  const options = fieldsOf(widget.options);
  const { visualization, text = '' } = widget;
  const isHidden = isTrue(options, 'isHidden');
  const name = all.nameFor(`widget ${index} ${String(widget.id ?? '')}`);
  const position = classicPosition(options);
  if (visualization === undefined) {
    if (widget.text === undefined)
      all.warnings.push(`Widget ${index + 1} has neither text nor visualization and was left out.`);
    if (widget.text === undefined) return undefined;
    if (isHidden) all.warnings.push(`Text box ${index + 1} is hidden and was left out: ${quote(text)}.`);
    return isHidden
      ? undefined
      : { widget: { name, multilineTextboxSpec: { lines: linesOf(text) } }, position };
  }
  const query = visualization.query ?? {};
  const title = titleOf(visualization, query, textIn(options, 'title'));
  const { name: datasetName, displayName } = datasetFor(all, query, {
    mappings: fieldsIn(options, 'parameterMappings'),
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
    options: fieldsOf(visualization.options),
    columns: columnsOf(all.tokensOf(query.query ?? '')),
  });
  if (remark !== undefined) all.warnings.push(`Widget "${title}": ${remark}`);
  for (const note of visual.notes) all.warnings.push(`Widget "${title}": ${note}.`);
  const description = [textIn(options, 'description') ?? visualization.description?.trim(), remark]
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
        version: versionOf(visual.type),
        widgetType: visual.type,
        encodings: visual.encodings,
        frame: frameOf(title, description),
        ...(visual.mark !== undefined && { mark: visual.mark }),
      },
    },
  };
}

/** Names that say only of which type a visualization is. */
const sayNothing = /^(?:table|chart|counter|pivot|pivot table|visualization|new visualization)$/i;

/** The title that the widget was given, else the name of the visualization, else that of the query. */
function titleOf(
  { name = '' }: ClassicVisualization,
  { name: queryName = '' }: ClassicQuery,
  given: string | undefined,
): string {
  const itsName = name.trim();
  const ofQuery = queryName.trim();
  return (
    given?.trim() ?? (itsName === '' || (sayNothing.test(itsName) && ofQuery !== '') ? ofQuery : itsName)
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
function pagesOf(
  title: string,
  filters: readonly ModernWidget[],
  wanted: readonly Wanted[],
  nameFor: (text: string) => string,
): ModernPage[] {
  const perPage = Math.max(1, most.widgets - filters.length);
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
      layout: pageLayout(filtersOf(filters, part, index, nameFor), index === 0 ? part : fromTheTop(part)),
      pageType: 'PAGE_TYPE_CANVAS',
    };
  });
}

/** The rest of a long dashboard begins at the top of its page. */
function fromTheTop(wanted: readonly Wanted[]): Wanted[] {
  const top = Math.min(...wanted.map(({ position }) => position.y));
  return wanted.map(({ widget, position }) => ({ widget, position: { ...position, y: position.y - top } }));
}

/** The filters that reach a widget of the page, under names of their own on every page but the first. */
function filtersOf(
  filters: readonly ModernWidget[],
  wanted: readonly Wanted[],
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

function pageLayout(filters: readonly ModernWidget[], wanted: readonly Wanted[]): Placed[] {
  const { positions, rows } = placeFilters(filters.length);

  const places = place(
    wanted.map(({ position }) => position),
    rows,
  );
  return [
    ...pair(filters, positions),
    ...pair(
      wanted.map(({ widget }) => widget),
      places,
    ),
  ];
}

function pair(widgets: readonly ModernWidget[], positions: readonly Position[]): Placed[] {
  return widgets.flatMap((widget, index) => {
    const position = positions[index];
    return position === undefined ? [] : [{ widget, position }];
  });
}
