/** Header of the page of a run: name, state, message, times and actions. */
import type { Run } from '../api/documents.ts';
import { DescriptionList } from '../parts/description-list.tsx';
import { triggerLabel } from '../parts/runs-table.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { Duration, Timestamp } from '../parts/time.tsx';
import { linkTo } from '../route.ts';
import { stateCodeOf, isActive, stateLabelOf } from '../state-labels.ts';
import { ExplanationView } from './explanation-view.tsx';
import { RunActions } from './run-actions.tsx';

export function RunHeader({ run }: { readonly run: Run }) {
  const { state } = run;
  const isRetry = run.original_attempt_run_id !== run.run_id;
  return (
    <header className="run-head">
      <p className="crumbs">
        {run.run_type === 'SUBMIT_RUN' ? (
          'One-time run'
        ) : (
          <>
            <a href={linkTo.jobs({})}>Jobs</a> / <a href={linkTo.job(run.job_id)}>{run.run_name}</a>
          </>
        )}
      </p>
      <div className="title">
        <h1>
          {run.run_name} <span className="number">#{run.number_in_job}</span> <StateBadge state={state} />
        </h1>
        <RunActions run={run} />
      </div>
      <p role="status" className="unseen">
        {stateLabelOf(state).text}
      </p>
      {run.explanation === undefined ? (
        state.state_message !== '' && (
          <p className={`banner ${stateLabelOf(state).tone}`}>{state.state_message}</p>
        )
      ) : (
        <ExplanationView
          explanation={run.explanation}
          run={run}
          tone={stateLabelOf(state).tone}
          named={run.tasks.length > 1}
        />
      )}
      <DescriptionList
        facts={[
          ['State', <code key="state">{stateCodeOf(state)}</code>],
          ['Trigger', triggerLabel(run.trigger)],
          ['Started', <Timestamp key="start" at={run.start_time} over={!isActive(state)} />],
          ['Ended', isActive(state) ? undefined : <Timestamp key="end" at={run.end_time} />],
          ['Duration', <Duration key="duration" from={run.start_time} to={run.end_time} />],
          ['Started by', run.creator_user_name],
          [
            'Retry of',
            isRetry ? (
              <a key="retry" href={linkTo.run(run.job_id, run.original_attempt_run_id)}>
                run {run.original_attempt_run_id}
              </a>
            ) : undefined,
          ],
          ['Run id', run.run_id],
        ]}
      />
    </header>
  );
}
