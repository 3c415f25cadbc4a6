/** Actions on a run: cancel, repair and delete, each with a confirmation. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Run } from '../api/documents.ts';
import { navigateTo } from '../navigate.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { linkTo } from '../route.ts';
import { useSession } from '../session.tsx';
import { isActive } from '../state-labels.ts';
import { listUnsuccessfulTasks } from './attempts.ts';

interface RunAction {
  /** Label of the button and title of the dialog. */
  readonly label: string;
  readonly path: string;
  readonly body: (run: Run) => object;
  /** Returns true when the state of the run allows the action. */
  readonly isAvailable: (run: Run) => boolean;
  readonly dangerous?: boolean;
  readonly renderExplanation: (run: Run) => ReactNode;
  /** Target page after the action; undefined to stay. */
  readonly redirectTo?: (run: Run) => string;
}

const actions: readonly RunAction[] = [
  {
    label: 'Cancel the run',
    path: '2.1/jobs/runs/cancel',
    body: ({ run_id }) => ({ run_id }),
    isAvailable: ({ state }) => isActive(state) && state.life_cycle_state !== 'TERMINATING',
    dangerous: true,
    renderExplanation: () => (
      <p>Stops the running tasks and skips the waiting ones. Their logs and output are kept.</p>
    ),
  },
  {
    label: 'Repair the run',
    path: '2.1/jobs/runs/repair',
    body: (run) => ({
      run_id: run.run_id,
      rerun_all_failed_tasks: true,
      latest_repair_id: latestRepairIdOf(run),
    }),
    isAvailable: (run) =>
      !isActive(run.state) &&
      run.state.life_cycle_state !== 'SKIPPED' &&
      listUnsuccessfulTasks(run.tasks).length > 0,
    renderExplanation: (run) => <RepairPlan run={run} />,
  },
  {
    label: 'Delete the run',
    path: '2.1/jobs/runs/delete',
    body: ({ run_id }) => ({ run_id }),
    isAvailable: ({ state }) => !isActive(state),
    dangerous: true,
    renderExplanation: () => <p>Deletes the run, its logs and its output. This cannot be undone.</p>,
    redirectTo: (run) =>
      run.run_type === 'SUBMIT_RUN' ? linkTo.runs({ state: 'all' }) : linkTo.job(run.job_id),
  },
];

export function RunActions({ run }: { readonly run: Run }) {
  const [pending, setPending] = useState<RunAction | null>(null);
  return (
    <div className="actions">
      {actions
        .filter(({ isAvailable }) => isAvailable(run))
        .map((action) => (
          <button key={action.path} type="button" onClick={() => setPending(action)}>
            {action.label}
          </button>
        ))}
      {run.run_type !== 'SUBMIT_RUN' && (
        <a className="button" href={linkTo.job(run.job_id)}>
          Go to job
        </a>
      )}
      {pending !== null && (
        <ActionDialog key={pending.path} action={pending} run={run} onClose={() => setPending(null)} />
      )}
    </div>
  );
}

function ActionDialog({
  action,
  run,
  onClose,
}: {
  readonly action: RunAction;
  readonly run: Run;
  readonly onClose: () => void;
}) {
  const { apiClient } = useSession();
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => apiClient.post(action.path, action.body(run)),
    onSuccess: async () => {
      onClose();
      // After leaving the page, no query for the deleted run remains.
      if (action.redirectTo !== undefined) navigateTo(action.redirectTo(run));
      else await queries.invalidateQueries();
    },
  });
  return (
    <ConfirmDialog
      title={action.label}
      confirm={action.label}
      action={action.label.toLowerCase()}
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
      {action.renderExplanation(run)}
    </ConfirmDialog>
  );
}

function RepairPlan({ run }: { readonly run: Run }) {
  const keys = listUnsuccessfulTasks(run.tasks).map((task) => task.task_key);
  return (
    <>
      <p>
        These tasks run again as new attempts of this run, with the current settings of the job. All other
        tasks keep their results.
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

/** Returns the id of the latest repair. A repair names it, so that concurrent repairs are rejected. */
function latestRepairIdOf({ repair_history: history = [] }: Run): number | undefined {
  return history.findLast(({ id }) => id !== undefined)?.id;
}
