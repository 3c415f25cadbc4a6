/** Page of a run and one of its task runs; the target of run_page_url in notifications. */
import type { Run } from '../api/documents.ts';
import { useApiQuery } from '../api/queries.ts';
import { ErrorMessage } from '../parts/error-message.tsx';
import { Loading } from '../parts/loading.tsx';
import { useTitle } from '../parts/use-title.ts';
import { linkTo } from '../route.ts';
import { AttemptsTable } from '../run/attempts-table.tsx';
import { listLatestAttempts, selectTask } from '../run/attempts.ts';
import { RepairHistory } from '../run/repair-history.tsx';
import { UndeliveredNotes } from '../run/undelivered-notes.tsx';
import { RunHeader } from '../run/run-header.tsx';
import { RunParameters } from '../run/run-parameters.tsx';
import { TaskGraph } from '../run/task-graph.tsx';
import { TaskPanel } from '../run/task-panel.tsx';
import { isActive, stateLabelOf } from '../state-labels.ts';

const activeRefreshMs = 1_500;

const runPath = '2.1/jobs/runs/get';
const runQueryOf = (runId: number) => ({ run_id: runId, include_history: true });

/** @param runId a run, or a task run, which is shown within its run */
export function RunPage({ runId }: { readonly runId: number }) {
  const asked = useApiQuery<Run>(runPath, runQueryOf(runId), { keepPrevious: true });
  const parentId = asked.data?.job_run_id ?? asked.data?.run_id;
  const whole = useApiQuery<Run>(runPath, runQueryOf(parentId ?? runId), {
    enabled: parentId !== undefined,
    refetchInterval: (run) => (run === undefined || isActive(run.state) ? activeRefreshMs : false),
  });
  const error = asked.error ?? whole.error;
  const run = whole.data;
  return (
    <>
      {error !== null && (
        <RunError error={error} retry={asked.error === null ? whole.refetch : asked.refetch} />
      )}
      {run === undefined && error === null && <Loading what="the run" />}
      {run !== undefined && asked.error === null && <RunDetails run={run} askedId={runId} />}
    </>
  );
}

function RunError({ error, retry }: { readonly error: Error; readonly retry: () => unknown }) {
  useTitle('Run');
  return (
    <>
      <ErrorMessage error={error} action="load the run" retry={retry} />
      <p>
        <a href={linkTo.runs({ state: 'all' })}>All runs</a>
      </p>
    </>
  );
}

function RunDetails({ run, askedId }: { readonly run: Run; readonly askedId: number }) {
  useTitle(`${stateLabelOf(run.state).text}: ${run.run_name} #${run.number_in_job}`);
  const chosen = selectTask(run, askedId);
  return (
    <>
      <RunHeader run={run} />
      <UndeliveredNotes runId={run.run_id} />
      {listLatestAttempts(run.tasks).length > 1 && <TaskGraph run={run} chosen={chosen} />}
      {chosen === undefined ? (
        <p className="empty">{noTaskLabel(run)}</p>
      ) : (
        <TaskPanel key={chosen.run_id} task={chosen} run={run} />
      )}
      <RunParameters run={run} />
      {run.tasks.length > 1 && <AttemptsTable run={run} chosen={chosen} />}
      <RepairHistory run={run} />
    </>
  );
}

/** Text in place of a task while no task has started. */
function noTaskLabel({ state }: Run): string {
  if (isActive(state)) return 'No task has started yet. Select a task to see its settings.';
  return state.result_state === 'CANCELED' ? 'Cancelled before any task started.' : 'No task was started.';
}
