/** All stored jobs, newest first. */
import { useId, useState, type FormEvent } from 'react';
import type { Job, JobList } from '../api/documents.ts';
import { useAnswer } from '../api/queries.ts';
import { scheduleWords } from '../job/schedule-words.ts';
import { DataTable, type Column } from '../parts/data-table.tsx';
import { go } from '../go.ts';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { Pager } from '../parts/pager.tsx';
import { Instant } from '../parts/time.tsx';
import { useTitle } from '../parts/use-title.ts';
import { addressOf, type JobFilter } from '../route.ts';

const pageSize = 25;
const refreshEvery = 10_000;

const columns: readonly Column<Job>[] = [
  {
    name: 'Job',
    show: (job) => (
      <a className="name" href={addressOf.job(job.job_id)}>
        {job.settings.name ?? 'Untitled'}
      </a>
    ),
  },
  { name: 'Id', show: (job) => job.job_id, figures: true },
  { name: 'Tasks', show: (job) => job.settings.tasks?.length ?? 1, figures: true },
  { name: 'Schedule', show: (job) => scheduleWords(job.settings) },
  { name: 'Created by', show: (job) => job.creator_user_name ?? 'a user who is gone' },
  { name: 'Created', show: (job) => <Instant at={job.created_time} /> },
];

export function JobsPage({ filter }: { readonly filter: JobFilter }) {
  useTitle('Jobs');
  const { data, error, refetch } = useAnswer<JobList>(
    '2.1/jobs/list',
    { limit: pageSize, name: filter.name, page_token: filter.after, expand_tasks: true },
    { every: refreshEvery, keepsPrevious: true },
  );
  return (
    <>
      <h1>Jobs</h1>
      <div className="filters">
        <NameChoice name={filter.name} key={filter.name ?? ''} />
      </div>
      {error !== null && <Failure error={error} what="Reading the jobs" retry={refetch} />}
      {data === undefined && error === null && <Loading what="jobs" />}
      {data !== undefined && (
        <>
          {data.jobs.length === 0 ? (
            <p className="empty">
              {filter.name === undefined
                ? 'There are no jobs yet. The README shows how to create one.'
                : `No job is called “${filter.name}”. Names are compared whole.`}
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
                : addressOf.jobs({ ...filter, after: data.next_page_token })
            }
            first={filter.after === undefined ? undefined : addressOf.jobs({ name: filter.name })}
          />
        </>
      )}
    </>
  );
}

function NameChoice({ name }: { readonly name: string | undefined }) {
  const id = useId();
  const [text, setText] = useState(name ?? '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    go(addressOf.jobs({ name: text.trim() === '' ? undefined : text.trim() }));
  };
  return (
    <search>
      <form className="inline" onSubmit={submit}>
        <label htmlFor={id}>Name</label>
        <input
          id={id}
          value={text}
          onChange={(event) => setText(event.target.value)}
          placeholder="whole name"
        />
        <button type="submit">Show</button>
        {name !== undefined && <a href={addressOf.jobs({})}>All jobs</a>}
      </form>
    </search>
  );
}
