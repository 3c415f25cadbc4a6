/** Repair history of a run: the original run and its repairs. */
import type { RepairHistoryItem, Run } from '../api/documents.ts';
import { DataTable, type Column } from '../parts/data-table.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { Duration, Timestamp } from '../parts/time.tsx';
import { linkTo } from '../route.ts';

const createColumns = (
  run: Run,
  history: readonly RepairHistoryItem[],
): readonly Column<RepairHistoryItem>[] => [
  {
    name: 'Round',
    show: (item) => (item.type === 'ORIGINAL' ? 'Original run' : `Repair ${history.indexOf(item)}`),
  },
  { name: 'State', show: (item) => <StateBadge state={item.state} /> },
  {
    name: 'Cause',
    show: ({ explanation }) =>
      explanation === undefined ? '' : <code title={explanation.cause}>{explanation.cause_code}</code>,
  },
  { name: 'Attempts', show: ({ task_run_ids: ids }) => <AttemptLinks run={run} ids={ids} /> },
  { name: 'Started', show: (item) => <Timestamp at={item.start_time} /> },
  { name: 'Duration', show: (item) => <Duration from={item.start_time} to={item.end_time} />, figures: true },
];

export function RepairHistory({ run }: { readonly run: Run }) {
  const history = run.repair_history ?? [];
  if (history.length < 2) return null;
  return (
    <section aria-labelledby="history-title">
      <h2 id="history-title">Repair history</h2>
      <DataTable
        label="Rounds, oldest first"
        columns={createColumns(run, history)}
        rows={history}
        keyOf={(item) => item.id ?? 0}
      />
    </section>
  );
}

function AttemptLinks({ run, ids }: { readonly run: Run; readonly ids: readonly number[] }) {
  const keys = new Map(run.tasks.map((task) => [task.run_id, task.task_key]));
  return (
    <span className="links">
      {ids.map((id) => (
        <a key={id} href={linkTo.run(run.job_id, id)}>
          {keys.get(id) ?? id}
        </a>
      ))}
    </span>
  );
}
