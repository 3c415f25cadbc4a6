/** List of runs, newest first, with filters by state and job. */
import { useId, useState, type FormEvent } from 'react';
import type { JobList, RunList } from '../api/documents.ts';
import { useApiQuery } from '../api/queries.ts';
import { navigateTo } from '../navigate.ts';
import { ErrorMessage } from '../parts/error-message.tsx';
import { Loading } from '../parts/loading.tsx';
import { Pager } from '../parts/pager.tsx';
import { RunsTable } from '../parts/runs-table.tsx';
import { useTitle } from '../parts/use-title.ts';
import { linkTo, type RunFilter } from '../route.ts';
import { useSession } from '../session.tsx';
import { isActive } from '../state-labels.ts';

const pageSize = 25;

/** Refresh intervals of the list, ms. */
const activeRefreshMs = 2_000;
const idleRefreshMs = 5_000;

const stateChoices = [
  ['all', 'All'],
  ['active', 'Active'],
  ['completed', 'Finished'],
] as const;

export function RunsPage({ filter }: { readonly filter: RunFilter }) {
  useTitle('Runs');
  const { data, error, isPlaceholderData, refetch } = useApiQuery<RunList>(
    '2.1/jobs/runs/list',
    {
      limit: pageSize,
      job_id: filter.jobId,
      page_token: filter.pageToken,
      active_only: filter.state === 'active' ? true : undefined,
      completed_only: filter.state === 'completed' ? true : undefined,
    },
    {
      refetchInterval: (list) =>
        list?.runs.some((run) => isActive(run.state)) === true ? activeRefreshMs : idleRefreshMs,
      keepPrevious: true,
    },
  );
  const firstPage =
    filter.pageToken === undefined ? undefined : linkTo.runs({ ...filter, pageToken: undefined });
  return (
    <>
      <h1>Runs</h1>
      <div className="filters">
        <nav aria-label="Filter by state" className="choices">
          {stateChoices.map(([state, words]) => (
            <a
              key={state}
              href={linkTo.runs({ state, jobId: filter.jobId })}
              {...(filter.state === state && { 'aria-current': 'true' as const })}
            >
              {words}
            </a>
          ))}
        </nav>
        <JobFilterForm filter={filter} key={filter.jobId ?? 'all'} />
      </div>
      {error !== null && (
        <ErrorMessage error={error} action="load the runs" retry={refetch} firstPage={firstPage} />
      )}
      {data === undefined && error === null && <Loading what="runs" />}
      {data !== undefined && (
        <div aria-busy={isPlaceholderData} className={isPlaceholderData ? 'old' : undefined}>
          {data.runs.length === 0 ? (
            <NoRuns filter={filter} />
          ) : (
            <RunsTable runs={data.runs} label="Runs, newest first" />
          )}
          <Pager
            next={
              data.next_page_token === undefined
                ? undefined
                : linkTo.runs({ ...filter, pageToken: data.next_page_token })
            }
            first={firstPage}
          />
        </div>
      )}
    </>
  );
}

function NoRuns({ filter }: { readonly filter: RunFilter }) {
  if (filter.state === 'active') return <p className="empty">No active runs.</p>;
  if (filter.state === 'completed' || filter.jobId !== undefined || filter.pageToken !== undefined)
    return <p className="empty">No runs match the filter.</p>;
  return (
    <p className="empty">
      There are no runs yet. Start one on the page of a <a href={linkTo.jobs({})}>job</a>; the README shows
      how to create a job.
    </p>
  );
}

/** Filters the list by the id or name of a job. */
function JobFilterForm({ filter }: { readonly filter: RunFilter }) {
  const { apiClient } = useSession();
  const id = useId();
  const [text, setText] = useState(filter.jobId === undefined ? '' : String(filter.jobId));
  const [problem, setProblem] = useState('');
  const choose = async (): Promise<void> => {
    const wanted = text.trim();
    const jobId = await jobIdOf(wanted);
    setProblem(wanted !== '' && jobId === undefined ? `No job is called “${wanted}”.` : '');
    if (wanted === '' || jobId !== undefined) navigateTo(linkTo.runs({ state: filter.state, jobId }));
  };
  const jobIdOf = async (wanted: string): Promise<number | undefined> => {
    if (/^\d*$/.test(wanted)) return wanted === '' ? undefined : Number(wanted);
    const {
      jobs: [job],
    } = await apiClient.get<JobList>('2.1/jobs/list', { name: wanted, limit: 1 });
    return job?.job_id;
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    choose().catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  };
  return (
    <search>
      <form className="inline" onSubmit={submit}>
        <label htmlFor={id}>Job</label>
        <input
          id={id}
          value={text}
          onChange={(event) => setText(event.target.value)}
          placeholder="name or id"
          aria-describedby={`${id}-problem`}
        />
        <button type="submit">Show</button>
        {filter.jobId !== undefined && <a href={linkTo.runs({ state: filter.state })}>All jobs</a>}
        <span id={`${id}-problem`} role="alert" className="problem">
          {problem}
        </span>
      </form>
    </search>
  );
}
