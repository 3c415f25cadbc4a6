/** Pages of a dashboard: widgets on a grid of six columns, or in one column on a narrow screen. */
import { useCallback, useMemo, useState } from 'react';
import type { StoredDashboard } from '../api/dashboard-documents.ts';
import { filterKeyOf, filterParametersOf, type FilterValue, type OnFilterChange } from './filter-values.ts';
import { DashboardQueryContext } from './use-rows.ts';
import { WidgetFrame } from './widget-frame.tsx';

export function DashboardGrid({
  dashboardId,
  pages,
}: {
  readonly dashboardId: string;
  readonly pages: StoredDashboard['pages'];
}) {
  const [shown, setShown] = useState(0);
  const [values, setValues] = useState<ReadonlyMap<string, FilterValue>>(new Map());
  const setFilter = useCallback<OnFilterChange>((widget, value) => {
    setValues((before) => {
      const next = new Map(before);
      if (value === undefined) next.delete(filterKeyOf(widget));
      else next.set(filterKeyOf(widget), value);
      return next;
    });
  }, []);
  const query = useMemo(
    () => ({
      dashboardId,
      parameters: filterParametersOf(
        pages.flatMap(({ layout }) => layout),
        values,
      ),
    }),
    [dashboardId, pages, values],
  );
  const page = pages[shown];
  // DOM order is reading order.
  const layout = useMemo(
    () => (page?.layout ?? []).toSorted((a, b) => a.position.y - b.position.y || a.position.x - b.position.x),
    [page],
  );
  return (
    <DashboardQueryContext value={query}>
      {pages.length > 1 && <PageTabs pages={pages} shown={shown} onSelect={setShown} />}
      {layout.length === 0 && <p className="empty">This page has no widgets.</p>}
      <div className="dashboard">
        {layout.map(({ widget, position: { x, y, width, height } }) => (
          <div
            key={widget.name}
            className={
              widget.spec?.widgetType.startsWith('filter-') === true ||
              widget.multilineTextboxSpec !== undefined
                ? 'cell low'
                : 'cell'
            }
            style={{ gridColumn: `${x + 1} / span ${width}`, gridRow: `${y + 1} / span ${height}` }}
          >
            <WidgetFrame widget={widget} onFilterChange={setFilter} />
          </div>
        ))}
      </div>
    </DashboardQueryContext>
  );
}

function PageTabs({
  pages,
  shown,
  onSelect,
}: {
  readonly pages: StoredDashboard['pages'];
  readonly shown: number;
  readonly onSelect: (index: number) => void;
}) {
  return (
    <nav className="choices dashboard-pages" aria-label="Pages of the dashboard">
      {pages.map(({ name, displayName }, index) => (
        <button
          key={name}
          type="button"
          aria-current={index === shown ? 'page' : undefined}
          onClick={() => onSelect(index)}
        >
          {displayName}
        </button>
      ))}
    </nav>
  );
}
