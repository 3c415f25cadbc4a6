/** The top of a run's page: what it is, how it stands, and why. */
import type { Run } from '../api/documents.ts';
import { Facts } from '../parts/facts.tsx';
import { triggerWords } from '../parts/runs-table.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { Elapsed, Instant } from '../parts/time.tsx';
import { addressOf } from '../route.ts';
import { codeOf, isActive, standingOf } from '../states.ts';
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
            <a href={addressOf.jobs({})}>Jobs</a> / <a href={addressOf.job(run.job_id)}>{run.run_name}</a>
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
        {standingOf(state).words}
      </p>
      {state.state_message !== '' && (
        <p className={`notice ${standingOf(state).tone}`}>{state.state_message}</p>
      )}
      <Facts
        facts={[
          ['State', <code key="state">{codeOf(state)}</code>],
          ['Trigger', triggerWords(run.trigger)],
          ['Started', <Instant key="start" at={run.start_time} over={!isActive(state)} />],
          ['Ended', isActive(state) ? undefined : <Instant key="end" at={run.end_time} />],
          ['Duration', <Elapsed key="duration" from={run.start_time} to={run.end_time} />],
          ['Started by', run.creator_user_name],
          [
            'Retry of',
            isRetry ? (
              <a key="retry" href={addressOf.run(run.job_id, run.original_attempt_run_id)}>
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
