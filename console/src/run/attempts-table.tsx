/** Table of all attempts of all tasks, oldest first within a task. */
import type { Run, TaskRun } from '../api/documents.ts';
import { taskSummaryOf } from '../job/task-summary.ts';
import { DataTable, type Column } from '../parts/data-table.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { Duration, Timestamp } from '../parts/time.tsx';
import { linkTo } from '../route.ts';
import { shortMessageOf, withoutRepeats } from './explanation-view.tsx';
import { isActive } from '../state-labels.ts';

/** Returns the message of an attempt; the page says it only once. */
function messageOf(task: TaskRun, run: Run, chosen: TaskRun | undefined): string {
  if (shortMessageOf(task) === '') return '';
  const explanation = withoutRepeats(task.explanation, run.explanation);
  const isAbove =
    task.run_id === chosen?.run_id || (task.explanation !== undefined && explanation === undefined);
  return isAbove ? 'Explained above' : shortMessageOf({ ...task, ...(explanation && { explanation }) });
}

const createColumns = (run: Run, chosen: TaskRun | undefined): readonly Column<TaskRun>[] => [
  {
    name: 'Task',
    show: (task) => (
      <a className="name" href={linkTo.run(run.job_id, task.run_id)}>
        {task.task_key}
      </a>
    ),
  },
  { name: 'Attempt', show: (task) => task.attempt_number + 1, figures: true },
  { name: 'State', show: (task) => <StateBadge state={task.state} /> },
  {
    name: 'Message',
    show: (task) => (
      <span className="message long" title={task.state.state_message}>
        {messageOf(task, run, chosen)}
      </span>
    ),
  },
  { name: 'Kind', show: (task) => taskSummaryOf(task).kindLabel },
  { name: 'Started', show: (task) => <Timestamp at={task.start_time} over={!isActive(task.state)} /> },
  { name: 'Duration', show: (task) => <Duration from={task.start_time} to={task.end_time} />, figures: true },
];

export function AttemptsTable({ run, chosen }: { readonly run: Run; readonly chosen: TaskRun | undefined }) {
  return (
    <section aria-labelledby="attempts-title">
      <h2 id="attempts-title">Attempts</h2>
      <DataTable
        label="Attempts, oldest first within a task"
        columns={createColumns(run, chosen)}
        rows={run.tasks}
        keyOf={(task) => task.run_id}
        isCurrent={(task) => task.run_id === chosen?.run_id}
      />
    </section>
  );
}
