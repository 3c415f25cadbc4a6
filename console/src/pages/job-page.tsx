/** One job: what it does, its latest runs, and the button that starts it. */
import { useState } from 'react';
import type { Job, RunList } from '../api/documents.ts';
import { useAnswer } from '../api/queries.ts';
import { JobSettingsView } from '../job/job-settings.tsx';
import { RunNowDialog } from '../job/run-now-dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { RunsTable } from '../parts/runs-table.tsx';
import { Instant } from '../parts/time.tsx';
import { useTitle } from '../parts/use-title.ts';
import { addressOf } from '../route.ts';
import { isActive } from '../states.ts';

const recentRuns = 10;
const whileActive = 2_000;
const whileQuiet = 5_000;

export function JobPage({ jobId }: { readonly jobId: number }) {
  const { data: job, error, refetch } = useAnswer<Job>('2.1/jobs/get', { job_id: jobId });
  useTitle(job?.settings.name ?? 'Job');
  return (
    <>
      {error !== null && <Failure error={error} what="Reading the job" retry={refetch} />}
      {job === undefined && error === null && <Loading what="the job" />}
      {job !== undefined && <WholeJob job={job} />}
    </>
  );
}

function WholeJob({ job }: { readonly job: Job }) {
  const [starting, setStarting] = useState(false);
  const { settings } = job;
  return (
    <>
      <header className="run-head">
        <p className="crumbs">
          <a href={addressOf.jobs({})}>Jobs</a>
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
        <Facts
          facts={[
            ['Job id', job.job_id],
            ['Created by', job.creator_user_name ?? 'a user who is gone'],
            ['Runs as', job.run_as_user_name],
            ['Created', <Instant key="created" at={job.created_time} />],
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
  const { data, error, refetch } = useAnswer<RunList>(
    '2.1/jobs/runs/list',
    { job_id: jobId, limit: recentRuns },
    { every: (list) => (list?.runs.some((run) => isActive(run.state)) === true ? whileActive : whileQuiet) },
  );
  return (
    <section aria-labelledby="recent-title">
      <h2 id="recent-title">
        Recent runs{' '}
        <a className="more" href={addressOf.runs({ state: 'all', jobId })}>
          All runs of this job
        </a>
      </h2>
      {error !== null && <Failure error={error} what="Reading the runs" retry={refetch} />}
      {data?.runs.length === 0 && <p className="empty">It has not run yet.</p>}
      {data !== undefined && data.runs.length > 0 && (
        <RunsTable runs={data.runs} label="Recent runs, newest first" />
      )}
    </section>
  );
}
