/** Table of runs. */
import type { Run } from '../api/documents.ts';
import { linkTo } from '../route.ts';
import { runMessageOf } from '../run/explanation-view.tsx';
import { DataTable, type Column } from './data-table.tsx';
import { StateBadge } from './state-badge.tsx';
import { Duration, Timestamp } from './time.tsx';

const columns: readonly Column<Run>[] = [
  {
    name: 'Run',
    show: (run) => (
      <a className="name" href={linkTo.run(run.job_id, run.run_id)}>
        {run.run_name} <span className="number">#{run.number_in_job}</span>
      </a>
    ),
  },
  { name: 'State', show: (run) => <StateBadge state={run.state} /> },
  {
    name: 'Message',
    show: (run) => (
      <span className="message long" title={run.state.state_message}>
        {runMessageOf(run)}
      </span>
    ),
  },
  { name: 'Trigger', show: (run) => triggerLabel(run.trigger) },
  { name: 'Started', show: (run) => <Timestamp at={run.start_time} /> },
  { name: 'Duration', show: (run) => <Duration from={run.start_time} to={run.end_time} />, figures: true },
];

export function RunsTable({ runs, label }: { readonly runs: readonly Run[]; readonly label: string }) {
  return <DataTable label={label} columns={columns} rows={runs} keyOf={(run) => run.run_id} />;
}

const triggerLabels: Readonly<Record<string, string>> = {
  PERIODIC: 'Schedule',
  ONE_TIME: 'Manual',
  RETRY: 'Retry',
};

/** Returns the label of the trigger of a run. */
export function triggerLabel(trigger: string): string {
  return triggerLabels[trigger] ?? trigger;
}
