/** Common response fields of runs and task runs: identity, state and times (spec 2.5, 2.6). */
import type { ApiVersion } from '../../engine/job/job-format.ts';
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

/** Returns the state document (spec 2.6). */
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
