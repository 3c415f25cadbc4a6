/** Frame of a widget: title, content, and loading, error and empty states. */
import { lazy, Suspense, useId } from 'react';
import type { Widget } from '../api/dashboard-documents.ts';
import { ApiError } from '../api/api-client.ts';
import { Loading } from '../parts/loading.tsx';
import { FilterControl } from './filter-control.tsx';
import type { OnFilterChange } from './filter-values.ts';
import { useRows } from './use-rows.ts';
import { Visualization } from './visualization.tsx';

const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }));

interface WidgetFrameProps {
  readonly widget: Widget;
  readonly onFilterChange: OnFilterChange;
}

export function WidgetFrame({ widget, onFilterChange: setFilter }: WidgetFrameProps) {
  const { spec, multilineTextboxSpec } = widget;
  if (multilineTextboxSpec !== undefined)
    return (
      <Suspense fallback={<Loading what="the text" />}>
        <Markdown text={multilineTextboxSpec.lines.join('')} />
      </Suspense>
    );
  if (spec === undefined) return null;
  if (spec.widgetType.startsWith('filter-'))
    return <FilterControl widget={widget} spec={spec} onFilterChange={setFilter} />;
  return <DataWidget widget={widget} spec={spec} />;
}

function DataWidget({
  widget,
  spec,
}: {
  readonly widget: Widget;
  readonly spec: NonNullable<Widget['spec']>;
}) {
  const id = useId();
  const { data, error, isStale, refetch } = useRows(widget.name, widget.queries?.[0]);
  const title = spec.frame.title === '' ? 'Untitled' : spec.frame.title;
  return (
    <section className="widget" aria-labelledby={id}>
      <h2 id={id} className={spec.frame.showTitle ? undefined : 'unseen'}>
        {title}
      </h2>
      {spec.frame.description !== undefined && <p className="hint">{spec.frame.description}</p>}
      {error !== null && <WidgetError error={error} retry={refetch} />}
      {data === undefined && error === null && <Loading what="data" />}
      {data !== undefined &&
        error === null &&
        (data.rows.length === 0 ? (
          <p className="empty">
            {data.truncated ? 'The first row is too large to show.' : 'The query returned no rows.'}
          </p>
        ) : (
          <div className={isStale ? 'shown old' : 'shown'}>
            <Visualization spec={spec} title={title} rows={data} />
          </div>
        ))}
      {data?.truncated === true && error === null && (
        <p className="hint">Only the first {data.rows.length} rows are shown.</p>
      )}
    </section>
  );
}

/** Shows the error of the query in its widget only. */
function WidgetError({ error, retry }: { readonly error: Error; readonly retry: () => Promise<unknown> }) {
  return (
    <div className="banner bad" role="alert">
      <p>{error.message}</p>
      {!(error instanceof ApiError && error.status === 400) && (
        <p className="actions">
          <button
            type="button"
            onClick={() => {
              void retry();
            }}
          >
            Try again
          </button>
        </p>
      )}
    </div>
  );
}
