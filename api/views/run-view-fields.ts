/** Common response fields of runs and task runs: identity, state and times (spec 2.5, 2.6). */
import type { ApiVersion } from '../../engine/job/job-format.ts';
import type { Repair } from '../../engine/run/repair-rounds.ts';
import { durationsOf, type Progress, type Run } from '../../engine/run/run.ts';
import { runPageUrl } from '../../engine/run/workspace-info.ts';
import { statusOf } from '../../engine/run/run-status.ts';
import type { WorkspaceInfo } from '../http/ports.ts';

/** Context in which a run is shown. */
export interface ViewContext {
  readonly version: ApiVersion;
  readonly workspaceInfo: WorkspaceInfo;
  /** Resolved parameters by id of the task run, if requested. */
  readonly resolvedValues?: ReadonlyMap<number, object>;
  /** Repairs of the run, oldest first: its earlier attempts are shown with the settings of their round. */
  readonly repairs?: readonly Repair[];
}

/** Returns the fields that are equal in all views of a run. */
export function toCommonRunFields(run: Run, context: ViewContext): object {
  return {
    job_id: run.jobId,
    run_id: run.runId,
    number_in_job: run.numberInJob,
    original_attempt_run_id: run.originalAttemptRunId,
    creator_user_name: run.creatorUserName,
    run_name: run.name,
    run_type: run.type,
    run_page_url: pageUrl(run, run.runId, context),
    trigger: run.trigger,
    schedule: run.trigger === 'PERIODIC' ? run.settings.schedule : undefined,
    attempt_number: run.attempt,
    queue_duration:
      run.admittedTime === undefined
        ? undefined
        : run.admittedTime - (run.progress.startTime ?? run.admittedTime),
  };
}

/**
 * Returns state, times and durations; 2.1 and later add `status`.
 * @param setupFrom start of the setup duration. Default: the start time
 */
export function toProgressFields(progress: Progress, { version }: ViewContext, setupFrom?: number): object {
  const { setup, execution, cleanup } = durationsOf(progress, setupFrom);
  return {
    state: toStateView(progress),
    status: version === '2.0' ? undefined : statusOf(progress),
    explanation: progress.explanation,
    start_time: progress.startTime ?? 0,
    end_time: progress.endTime ?? 0,
    setup_duration: setup,
    execution_duration: execution,
    cleanup_duration: cleanup,
  };
}

/**
 * Returns the state document of a run that is shown as multi-task. 2.2 shows the life-cycle state INTERNAL_ERROR
 * for a failed one, as the hosted service does: the waiters of clients of 2.2 raise on nothing else.
 */
export function toMultiTaskStateView(progress: Progress, { version }: Pick<ViewContext, 'version'>): object {
  const hasFailed = progress.state === 'TERMINATED' && progress.result === 'FAILED';
  return {
    ...toStateView(progress),
    ...(version === '2.2' && hasFailed && { life_cycle_state: 'INTERNAL_ERROR' }),
  };
}

/** Returns the state document of a task run, or of a single-task run in 2.0 (spec 2.6). */
export function toStateView(progress: Progress): object {
  return {
    life_cycle_state: progress.state,
    result_state: progress.result,
    state_message: progress.message,
    user_cancelled_or_timedout: progress.result === 'CANCELED' || progress.result === 'TIMEDOUT',
  };
}

/** Returns the URL of a run or task run in the console. */
export function pageUrl(run: Run, runId: number, { workspaceInfo }: ViewContext): string {
  return runPageUrl(workspaceInfo, run.jobId, runId);
}
