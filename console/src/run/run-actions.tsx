/**
 * What can be done with a run: cancel it, repair it, start another one, delete it; each is asked about first.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Run } from '../api/documents.ts';
import { go } from '../go.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { addressOf } from '../route.ts';
import { useSession } from '../session.tsx';
import { isActive } from '../states.ts';
import { isSingleTask, unsuccessful } from './attempts.ts';

interface Action {
  /** What its button says, and the dialog again. */
  readonly words: string;
  readonly path: string;
  readonly body: (run: Run) => object;
  /** Whether it makes sense for a run as it stands. */
  readonly fits: (run: Run) => boolean;
  readonly dangerous?: boolean;
  readonly explain: (run: Run) => ReactNode;
  /** Where to go when it is done, if not to stay. */
  readonly afterwards?: (run: Run) => string;
}

const actions: readonly Action[] = [
  {
    words: 'Cancel the run',
    path: '2.1/jobs/runs/cancel',
    body: ({ run_id }) => ({ run_id }),
    fits: ({ state }) => isActive(state) && state.life_cycle_state !== 'TERMINATING',
    dangerous: true,
    explain: () => (
      <p>Tasks that are running are stopped; those that wait are skipped. What they have written stays.</p>
    ),
  },
  {
    words: 'Repair the run',
    path: '2.1/jobs/runs/repair',
    body: (run) => ({
      run_id: run.run_id,
      rerun_all_failed_tasks: true,
      latest_repair_id: latestRepair(run),
    }),
    fits: (run) =>
      !isActive(run.state) &&
      run.state.life_cycle_state !== 'SKIPPED' &&
      !isSingleTask(run) &&
      unsuccessful(run.tasks).length > 0,
    explain: (run) => <RepairPlan run={run} />,
  },
  {
    words: 'Delete the run',
    path: '2.1/jobs/runs/delete',
    body: ({ run_id }) => ({ run_id }),
    fits: ({ state }) => !isActive(state),
    dangerous: true,
    explain: () => <p>The run leaves with its logs and its output. This cannot be undone.</p>,
    afterwards: (run) =>
      run.run_type === 'SUBMIT_RUN' ? addressOf.runs({ state: 'all' }) : addressOf.job(run.job_id),
  },
];

export function RunActions({ run }: { readonly run: Run }) {
  const [asked, setAsked] = useState<Action | null>(null);
  return (
    <div className="actions">
      {actions
        .filter(({ fits }) => fits(run))
        .map((action) => (
          <button key={action.path} type="button" onClick={() => setAsked(action)}>
            {action.words}
          </button>
        ))}
      {run.run_type !== 'SUBMIT_RUN' && (
        <a className="button" href={addressOf.job(run.job_id)}>
          Job
        </a>
      )}
      {asked !== null && (
        <ActionDialog key={asked.path} action={asked} run={run} onClose={() => setAsked(null)} />
      )}
    </div>
  );
}

function ActionDialog({
  action,
  run,
  onClose,
}: {
  readonly action: Action;
  readonly run: Run;
  readonly onClose: () => void;
}) {
  const { sender } = useSession();
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => sender.post(action.path, action.body(run)),
    onSuccess: async () => {
      onClose();
      // Gone from here, the run is not asked for again.
      if (action.afterwards !== undefined) go(action.afterwards(run));
      else await queries.invalidateQueries();
    },
  });
  return (
    <ConfirmDialog
      title={action.words}
      confirm={action.words}
      dangerous={action.dangerous ?? false}
      busy={isPending}
      error={error}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      <p>
        <strong>
          {run.run_name} #{run.number_in_job}
        </strong>
      </p>
      {action.explain(run)}
    </ConfirmDialog>
  );
}

function RepairPlan({ run }: { readonly run: Run }) {
  const keys = unsuccessful(run.tasks).map((task) => task.task_key);
  return (
    <>
      <p>
        These tasks run again as new attempts inside this run, with the settings that it was started with. All
        others count as they ended.
      </p>
      <ul className="keys">
        {keys.map((key) => (
          <li key={key}>
            <code>{key}</code>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The next repair names the one before, so that two people never repair one run at once. */
function latestRepair({ repair_history: history = [] }: Run): number | undefined {
  return history.findLast(({ id }) => id !== undefined)?.id;
}
