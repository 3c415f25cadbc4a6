/** Executed notebook in a sandboxed frame without scripts; its links open in new tabs. */
import { useMemo } from 'react';
import type { ExportedViews, TaskRun } from '../api/documents.ts';
import { useApiQuery } from '../api/queries.ts';
import { ErrorMessage } from '../parts/error-message.tsx';
import { Loading } from '../parts/loading.tsx';
import { SaveButton } from '../parts/save-button.tsx';
import { isActive } from '../state-labels.ts';
import { prepareNotebookHtml } from './notebook-html.ts';

export function NotebookFrame({ task }: { readonly task: TaskRun }) {
  const active = isActive(task.state);
  const started = task.start_time > 0;
  const { data, error, refetch, isFetching } = useApiQuery<ExportedViews>(
    '2.1/jobs/runs/export',
    { run_id: task.run_id, views_to_export: 'CODE' },
    {
      // No automatic refresh: a new document would lose the scroll position.
      enabled: started,
      revision: task.state.life_cycle_state,
      keepPrevious: true,
    },
  );
  const content = data?.views[0]?.content;
  const shown = useMemo(() => (content === undefined ? '' : prepareNotebookHtml(content)), [content]);
  if (!started) return null;
  if (error !== null && data === undefined)
    return <ErrorMessage error={error} action="load the notebook" retry={refetch} />;
  const page = data?.views[0];
  if (page === undefined) return <Loading what="notebook" />;
  return (
    <section className="notebook" aria-label="Notebook">
      <h3>
        Notebook{' '}
        <SaveButton text={page.content} fileName={`${page.name}-${task.run_id}.html`} type="text/html" />
      </h3>
      {active && (
        <p className="hint">
          Snapshot of a running notebook.{' '}
          <button
            type="button"
            className="link"
            disabled={isFetching}
            onClick={() => {
              refetch().catch(() => undefined);
            }}
          >
            Refresh
          </button>
        </p>
      )}
      <iframe
        title={`Notebook ${page.name}`}
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        srcDoc={shown}
      />
    </section>
  );
}
