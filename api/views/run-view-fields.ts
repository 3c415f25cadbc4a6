/** What runs and task runs show alike: who and where they are, their state, their times (spec 2.5, 2.6). */
import type { ApiVersion } from '../../engine/job/job-format.ts';
import { durationsOf, type Progress, type Run } from '../../engine/run/run.ts';
import { runPageUrl } from '../../engine/run/workspace-info.ts';
import { statusOf } from '../../engine/run/run-status.ts';
import type { WorkspaceInfo } from '../http/ports.ts';

/** For whom a run is shown. */
export interface ViewContext {
  readonly version: ApiVersion;
  readonly workspaceInfo: WorkspaceInfo;
  /** Resolved parameters of task runs by their id, where they were asked for. */
  readonly resolvedValues?: ReadonlyMap<number, object>;
}

/** What is the same on every face of a run. */
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
 * State, times and real durations, the setup counted from `setupFrom` if that is not the start time; from 2.1
 * on the newer `status` beside the state, which no client of 2.0 knows.
 */
export function toProgressFields(progress: Progress, { version }: ViewContext, setupFrom?: number): object {
  const { setup, execution, cleanup } = durationsOf(progress, setupFrom);
  return {
    state: toStateView(progress),
    status: version === '2.0' ? undefined : statusOf(progress),
    start_time: progress.startTime ?? 0,
    end_time: progress.endTime ?? 0,
    setup_duration: setup,
    execution_duration: execution,
    cleanup_duration: cleanup,
  };
}

/** The state of spec 2.6. */
export function toStateView(progress: Progress): object {
  return {
    life_cycle_state: progress.state,
    result_state: progress.result,
    state_message: progress.message,
    user_cancelled_or_timedout: progress.result === 'CANCELED' || progress.result === 'TIMEDOUT',
  };
}

/** The page of a run or task run in the console. */
export function pageUrl(run: Run, runId: number, { workspaceInfo }: ViewContext): string {
  return runPageUrl(workspaceInfo, run.jobId, runId);
}
