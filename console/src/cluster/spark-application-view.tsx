/** Spark application of a cluster: progress, running stages, executors, and the link to Spark's own pages. */
import type { SparkApplication, SparkExecutor, SparkStage } from '../api/documents.ts';
import { DataTable, type Column } from '../parts/data-table.tsx';
import { DescriptionList } from '../parts/description-list.tsx';
import { Duration, Timestamp } from '../parts/time.tsx';
import { linkTo } from '../route.ts';
import { progressText } from './spark-progress.ts';

const states: Readonly<Record<SparkApplication['state'], readonly [text: string, tone: string]>> = {
  RUNNING: ['Running', 'busy'],
  FINISHED: ['Finished', 'quiet'],
  LOST: ['Driver lost', 'bad'],
};

export function SparkApplicationView({ application }: { readonly application: SparkApplication }) {
  const { application_id: id, state, run_id: runId, pages_url: pagesUrl, executors } = application;
  const [text, tone] = states[state];
  return (
    <section className="panel" aria-label={`Spark application ${id}`}>
      <h3>
        {application.name} <span className={`badge ${tone}`}>{text}</span>
      </h3>
      <DescriptionList
        facts={[
          ['Application', <code key="id">{id}</code>],
          ['Spark', application.spark_version],
          ['Driver of', <DriverOf key="driver" runId={runId} />],
          ['Started', <Timestamp key="start" at={application.start_time} />],
          ['Duration', <RunTime key="duration" application={application} />],
          ['Progress', progressText(application)],
          ['Newest failure', application.last_failure],
          [
            "Spark's own pages",
            pagesUrl === undefined ? undefined : <PagesLink key="pages" url={pagesUrl} />,
          ],
        ]}
      />
      {application.active_stages.length > 0 && (
        <DataTable
          label="Running stages"
          columns={stageColumns}
          rows={application.active_stages}
          keyOf={(stage) => stage.stage_id}
        />
      )}
      <DataTable
        label="Executors"
        columns={executorColumns}
        rows={executors}
        keyOf={(executor) => executor.executor_id}
      />
    </section>
  );
}

function DriverOf({ runId }: { readonly runId: number | undefined }) {
  return runId === undefined ? 'all tasks' : <a href={linkTo.anyRun(runId)}>run {runId}</a>;
}

/** A lost driver has no end that is known. */
function RunTime({
  application: { start_time: start, end_time: end, state },
}: {
  readonly application: SparkApplication;
}) {
  return state === 'LOST' ? <>unknown</> : <Duration from={start} to={end ?? 0} />;
}

/** The link is relative, because a proxy may serve the console below a path; the page learns nothing of this one. */
function PagesLink({ url }: { readonly url: string }) {
  return (
    <a href={url.slice(url.indexOf('/spark-pages/') + 1)} target="_blank" rel="noopener noreferrer">
      Open
    </a>
  );
}

const stageColumns: readonly Column<SparkStage>[] = [
  { name: 'Stage', show: (stage) => stage.stage_id, figures: true },
  { name: 'Operation', show: (stage) => stage.name },
  {
    name: 'Tasks',
    show: ({ num_tasks: all, num_completed_tasks: done }) => (
      <>
        <progress max={all} value={done} aria-label="Completed tasks" /> {done} of {all}
      </>
    ),
  },
  { name: 'Started', show: (stage) => <Timestamp at={stage.start_time} /> },
];

const executorColumns: readonly Column<SparkExecutor>[] = [
  { name: 'Executor', show: (executor) => executor.executor_id },
  { name: 'Host', show: (executor) => executor.host },
  { name: 'Cores', show: (executor) => executor.num_cores, figures: true },
  { name: 'Started', show: (executor) => <Timestamp at={executor.start_time} /> },
  {
    name: 'Ended',
    show: ({ end_time: end, end_reason: reason }) =>
      end === undefined ? '' : <span title={reason}>{<Timestamp at={end} />}</span>,
  },
];
