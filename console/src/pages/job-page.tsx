/** Page of a job: recent runs, settings and the run-now dialog. */
import { useState } from 'react';
import type { Job, RunList } from '../api/documents.ts';
import { useApiQuery } from '../api/queries.ts';
import { JobSettingsView } from '../job/job-settings.tsx';
import { RunNowDialog } from '../job/run-now-dialog.tsx';
import { DescriptionList } from '../parts/description-list.tsx';
import { ErrorMessage } from '../parts/error-message.tsx';
import { Loading } from '../parts/loading.tsx';
import { RunsTable } from '../parts/runs-table.tsx';
import { Timestamp } from '../parts/time.tsx';
import { useTitle } from '../parts/use-title.ts';
import { linkTo } from '../route.ts';
import { isActive } from '../state-labels.ts';

const recentRuns = 10;
const activeRefreshMs = 2_000;
const idleRefreshMs = 5_000;

export function JobPage({ jobId }: { readonly jobId: number }) {
  const { data: job, error, refetch } = useApiQuery<Job>('2.1/jobs/get', { job_id: jobId });
  useTitle(job?.settings.name ?? 'Job');
  return (
    <>
      {error !== null && <ErrorMessage error={error} action="load the job" retry={refetch} />}
      {job === undefined && error === null && <Loading what="the job" />}
      {job !== undefined && <JobDetails job={job} />}
    </>
  );
}

function JobDetails({ job }: { readonly job: Job }) {
  const [starting, setStarting] = useState(false);
  const { settings } = job;
  return (
    <>
      <header className="run-head">
        <p className="crumbs">
          <a href={linkTo.jobs({})}>Jobs</a>
        </p>
        <div className="title">
          <h1>{settings.name ?? 'Untitled'}</h1>
          <div className="actions">
            <button type="button" className="primary" onClick={() => setStarting(true)}>
              Run now
            </button>
          </div>
        </div>
        {settings.description !== undefined && <p className="lead">{settings.description}</p>}
        {(job.setting_warnings ?? []).map((warning) => (
          <p key={warning} className="banner warning" role="note">
            {warning}
          </p>
        ))}
        <DescriptionList
          facts={[
            ['Job id', job.job_id],
            ['Created by', job.creator_user_name ?? 'deleted user'],
            ['Runs as', job.run_as_user_name],
            ['Created', <Timestamp key="created" at={job.created_time} />],
          ]}
        />
      </header>
      <RecentRuns jobId={job.job_id} />
      <JobSettingsView settings={settings} />
      {starting && <RunNowDialog job={job} onClose={() => setStarting(false)} />}
    </>
  );
}

function RecentRuns({ jobId }: { readonly jobId: number }) {
  const { data, error, refetch } = useApiQuery<RunList>(
    '2.1/jobs/runs/list',
    { job_id: jobId, limit: recentRuns },
    {
      refetchInterval: (list) =>
        list?.runs.some((run) => isActive(run.state)) === true ? activeRefreshMs : idleRefreshMs,
    },
  );
  return (
    <section aria-labelledby="recent-title">
      <h2 id="recent-title">
        Recent runs{' '}
        <a className="more" href={linkTo.runs({ state: 'all', jobId })}>
          All runs of this job
        </a>
      </h2>
      {error !== null && <ErrorMessage error={error} action="load the runs" retry={refetch} />}
      {data?.runs.length === 0 && <p className="empty">This job has no runs yet.</p>}
      {data !== undefined && data.runs.length > 0 && (
        <RunsTable runs={data.runs} label="Recent runs, newest first" />
      )}
    </section>
  );
}
