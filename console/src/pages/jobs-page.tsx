/** List of jobs, newest first. */
import { useId, useState, type FormEvent } from 'react';
import type { Job, JobList } from '../api/documents.ts';
import { useApiQuery } from '../api/queries.ts';
import { scheduleLabel } from '../job/schedule-label.ts';
import { DataTable, type Column } from '../parts/data-table.tsx';
import { navigateTo } from '../navigate.ts';
import { ErrorMessage } from '../parts/error-message.tsx';
import { Loading } from '../parts/loading.tsx';
import { Pager } from '../parts/pager.tsx';
import { Timestamp } from '../parts/time.tsx';
import { useTitle } from '../parts/use-title.ts';
import { linkTo, type JobFilter } from '../route.ts';

const pageSize = 25;
const refreshIntervalMs = 10_000;

const columns: readonly Column<Job>[] = [
  {
    name: 'Job',
    show: (job) => (
      <a className="name" href={linkTo.job(job.job_id)}>
        {job.settings.name ?? 'Untitled'}
      </a>
    ),
  },
  { name: 'Id', show: (job) => job.job_id, figures: true },
  { name: 'Tasks', show: (job) => job.settings.tasks?.length ?? 1, figures: true },
  { name: 'Schedule', show: (job) => scheduleLabel(job.settings) },
  { name: 'Created by', show: (job) => job.creator_user_name ?? 'deleted user' },
  { name: 'Created', show: (job) => <Timestamp at={job.created_time} /> },
];

export function JobsPage({ filter }: { readonly filter: JobFilter }) {
  useTitle('Jobs');
  const { data, error, refetch } = useApiQuery<JobList>(
    '2.1/jobs/list',
    { limit: pageSize, name: filter.name, page_token: filter.pageToken, expand_tasks: true },
    { refetchInterval: refreshIntervalMs, keepPrevious: true },
  );
  const firstPage = filter.pageToken === undefined ? undefined : linkTo.jobs({ name: filter.name });
  return (
    <>
      <h1>Jobs</h1>
      <div className="filters">
        <NameFilterForm name={filter.name} key={filter.name ?? ''} />
      </div>
      {error !== null && (
        <ErrorMessage error={error} action="load the jobs" retry={refetch} firstPage={firstPage} />
      )}
      {data === undefined && error === null && <Loading what="jobs" />}
      {data !== undefined && (
        <>
          {data.jobs.length === 0 ? (
            <p className="empty">
              {filter.name === undefined
                ? 'There are no jobs yet. The README shows how to create one.'
                : `No job is called “${filter.name}”. Only the full name matches.`}
            </p>
          ) : (
            <DataTable
              label="Jobs, newest first"
              columns={columns}
              rows={data.jobs}
              keyOf={(job) => job.job_id}
            />
          )}
          <Pager
            next={
              data.next_page_token === undefined
                ? undefined
                : linkTo.jobs({ ...filter, pageToken: data.next_page_token })
            }
            first={firstPage}
          />
        </>
      )}
    </>
  );
}

function NameFilterForm({ name }: { readonly name: string | undefined }) {
  const id = useId();
  const [text, setText] = useState(name ?? '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    navigateTo(linkTo.jobs({ name: text.trim() === '' ? undefined : text.trim() }));
  };
  return (
    <search>
      <form className="inline" onSubmit={submit}>
        <label htmlFor={id}>Name</label>
        <input
          id={id}
          value={text}
          onChange={(event) => setText(event.target.value)}
          placeholder="full name"
        />
        <button type="submit">Show</button>
        {name !== undefined && <a href={linkTo.jobs({})}>All jobs</a>}
      </form>
    </search>
  );
}
