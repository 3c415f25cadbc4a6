/** A run, and one of its task runs: the page behind run_page_url. Written for whoever was woken by it. */
import type { Run } from '../api/documents.ts';
import { useAnswer } from '../api/queries.ts';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { useTitle } from '../parts/use-title.ts';
import { addressOf } from '../route.ts';
import { AttemptsTable } from '../run/attempts-table.tsx';
import { chosenTask, isSingleTask } from '../run/attempts.ts';
import { RepairHistory } from '../run/repair-history.tsx';
import { RunHeader } from '../run/run-header.tsx';
import { RunParameters } from '../run/run-parameters.tsx';
import { TaskGraph } from '../run/task-graph.tsx';
import { TaskPanel } from '../run/task-panel.tsx';
import { isActive, standingOf } from '../states.ts';

const whileActive = 1_500;

const runPath = '2.1/jobs/runs/get';
const fieldsOf = (runId: number) => ({ run_id: runId, include_history: true });

/** @param runId a run, or a task run, which is shown within its run */
export function RunPage({ runId }: { readonly runId: number }) {
  const asked = useAnswer<Run>(runPath, fieldsOf(runId), { keepsPrevious: true });
  const parentId = asked.data?.job_run_id ?? asked.data?.run_id;
  const whole = useAnswer<Run>(runPath, fieldsOf(parentId ?? runId), {
    enabled: parentId !== undefined,
    every: (run) => (run === undefined || isActive(run.state) ? whileActive : false),
  });
  const error = asked.error ?? whole.error;
  const run = whole.data;
  return (
    <>
      {error !== null && (
        <RunFailure error={error} retry={asked.error === null ? whole.refetch : asked.refetch} />
      )}
      {run === undefined && error === null && <Loading what="the run" />}
      {run !== undefined && asked.error === null && <WholeRun run={run} askedId={runId} />}
    </>
  );
}

function RunFailure({ error, retry }: { readonly error: Error; readonly retry: () => unknown }) {
  useTitle('Run');
  return (
    <>
      <Failure error={error} what="Reading the run" retry={retry} />
      <p>
        <a href={addressOf.runs({ state: 'all' })}>All runs</a>
      </p>
    </>
  );
}

function WholeRun({ run, askedId }: { readonly run: Run; readonly askedId: number }) {
  useTitle(`${standingOf(run.state).words}: ${run.run_name} #${run.number_in_job}`);
  const chosen = chosenTask(run, askedId);
  const single = isSingleTask(run);
  return (
    <>
      <RunHeader run={run} />
      {!single && <TaskGraph run={run} chosen={chosen} />}
      {chosen === undefined ? (
        <p className="empty">No task has begun. Choose one to see what it is to do.</p>
      ) : (
        <TaskPanel key={chosen.run_id} task={chosen} runMessage={run.state.state_message} />
      )}
      <RunParameters run={run} />
      {!single && <AttemptsTable run={run} chosen={chosen} />}
      <RepairHistory run={run} />
    </>
  );
}
