/**
 * Documents of the API: the fields that the console reads. The console imports nothing from the service, so
 * it declares them again.
 */

export interface RunState {
  readonly life_cycle_state: string;
  readonly result_state?: string;
  readonly state_message: string;
}

/** Why a run did not succeed, where, and what to do. */
export interface Explanation {
  readonly cause_code: string;
  readonly cause: string;
  readonly place: { readonly text: string; readonly task_key?: string; readonly run_id?: number };
  readonly next_step: string;
  readonly others?: string;
  readonly retries?: string;
  readonly attempts?: readonly {
    readonly run_id: number;
    readonly attempt: number;
    readonly cause: string;
  }[];
  readonly evidence?: {
    readonly frames?: readonly string[];
    readonly folded_frames?: number;
    readonly last_lines?: readonly string[];
    readonly limits?: readonly string[];
    readonly details?: readonly string[];
    readonly child_run_id?: number;
  };
}

interface StateAndTimes {
  readonly state: RunState;
  /** Absent for a run that has not failed. */
  readonly explanation?: Explanation;
  /** Epoch milliseconds; 0 before the start or the end. */
  readonly start_time: number;
  readonly end_time: number;
  readonly setup_duration: number;
  readonly execution_duration: number;
  readonly cleanup_duration: number;
}

/** Settings of a task, in jobs and in runs. */
export interface TaskSettings {
  readonly task_key: string;
  readonly description?: string;
  readonly depends_on?: readonly { readonly task_key: string }[];
  readonly run_if?: string;
  readonly job_cluster_key?: string;
  readonly existing_cluster_id?: string;
  readonly new_cluster?: object;
  readonly max_retries?: number;
  readonly timeout_seconds?: number;
  /** Settings of the task kind. */
  readonly [kind: `${string}_task`]: unknown;
}

/** One attempt of one task. */
export interface TaskRun extends TaskSettings, StateAndTimes {
  readonly run_id: number;
  readonly attempt_number: number;
  readonly cluster_instance?: { readonly cluster_id: string };
  readonly resolved_values?: object;
}

/** A part of a log. */
export interface LogPage {
  readonly offset: number;
  readonly next_offset: number;
  readonly complete: boolean;
  readonly content: string;
}

export interface RepairHistoryItem {
  readonly type: 'ORIGINAL' | 'REPAIR';
  readonly id?: number;
  readonly start_time: number;
  readonly end_time: number;
  readonly state: RunState;
  readonly explanation?: Explanation;
  readonly task_run_ids: readonly number[];
}

export interface Run extends StateAndTimes {
  readonly job_id: number;
  readonly run_id: number;
  /** The run that a task run belongs to. */
  readonly job_run_id?: number;
  readonly number_in_job: number;
  readonly original_attempt_run_id: number;
  readonly attempt_number: number;
  readonly creator_user_name?: string;
  readonly run_name: string;
  readonly run_type: string;
  readonly trigger: string;
  readonly run_duration?: number;
  readonly overriding_parameters?: object;
  readonly job_parameters?: readonly {
    readonly name: string;
    readonly default: string;
    readonly value: string;
  }[];
  readonly tasks: readonly TaskRun[];
  readonly repair_history?: readonly RepairHistoryItem[];
}

export interface RunList {
  readonly runs: readonly Run[];
  readonly next_page_token?: string;
}

export interface Job {
  /** Settings that look like misspelled fields. */
  readonly setting_warnings?: readonly string[];
  readonly job_id: number;
  readonly creator_user_name?: string;
  readonly run_as_user_name?: string;
  readonly created_time: number;
  readonly settings: JobSettings;
}

export interface JobSettings {
  readonly name?: string;
  readonly description?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly parameters?: readonly { readonly name: string; readonly default: string }[];
  readonly schedule?: {
    readonly quartz_cron_expression: string;
    readonly timezone_id: string;
    readonly pause_status?: string;
  };
  readonly queue?: { readonly enabled: boolean };
  readonly max_concurrent_runs?: number;
  readonly timeout_seconds?: number;
  readonly tasks?: readonly TaskSettings[];
  readonly job_clusters?: readonly { readonly job_cluster_key: string; readonly new_cluster: object }[];
}

export interface JobList {
  readonly jobs: readonly Job[];
  readonly next_page_token?: string;
}

export interface RunOutput {
  readonly plugin_output?: { readonly result?: string; readonly truncated?: boolean };
  readonly notebook_output?: { readonly result?: string; readonly truncated?: boolean };
  readonly error?: string;
  readonly error_trace?: string;
  readonly spark_progress?: SparkProgress;
  readonly logs?: string;
  readonly logs_truncated?: boolean;
  /** The run that a run_job_task has started. */
  readonly run_job_output?: { readonly run_id: number };
}

export interface ExportedViews {
  readonly views: readonly { readonly content: string; readonly name: string; readonly type: string }[];
}

export interface CurrentUser {
  readonly userName: string;
}

/** Engine node of the cluster of engines. */
export interface EngineNode {
  readonly node_id: string;
  readonly host: string;
  readonly pid: number;
  readonly state: string;
  readonly joined_time: number;
  readonly lease_until: number;
  readonly active_runs: number;
  readonly running_tasks: number;
}

export interface NodeList {
  readonly nodes: readonly EngineNode[];
}

/** Jobs, stages and tasks of Spark. */
export interface SparkProgress {
  readonly num_jobs: number;
  readonly num_completed_jobs: number;
  readonly num_failed_jobs: number;
  readonly num_stages: number;
  readonly num_completed_stages: number;
  readonly num_tasks: number;
  readonly num_completed_tasks: number;
  readonly active_stages: readonly SparkStage[];
}

export interface SparkStage {
  readonly stage_id: number;
  readonly name: string;
  readonly num_tasks: number;
  readonly num_completed_tasks: number;
  readonly start_time: number;
}

export interface SparkExecutor {
  readonly executor_id: string;
  readonly host: string;
  readonly num_cores: number;
  readonly start_time: number;
  readonly end_time?: number;
  readonly end_reason?: string;
}

export interface SparkApplication extends SparkProgress {
  readonly application_id: string;
  readonly name: string;
  readonly spark_version: string;
  readonly state: 'RUNNING' | 'FINISHED' | 'LOST';
  /** Task run whose driver it is. */
  readonly run_id?: number;
  readonly start_time: number;
  readonly end_time?: number;
  readonly pages_url?: string;
  readonly executors: readonly SparkExecutor[];
  readonly last_failure?: string;
}

export interface SparkApplicationList {
  readonly applications: readonly SparkApplication[];
}

export interface Cluster {
  readonly cluster_id: string;
  readonly cluster_name: string;
  readonly cluster_source: string;
  readonly creator_user_name?: string;
  readonly state: string;
  readonly state_message: string;
  readonly start_time: number;
  readonly terminated_time?: number;
  readonly termination_reason?: { readonly code: string };
  readonly num_workers?: number;
  readonly autoscale?: { readonly min_workers: number; readonly max_workers: number };
  readonly node_type_id?: string;
  readonly spark_version?: string;
}

export interface ClusterList {
  readonly clusters: readonly Cluster[];
  readonly next_page_token?: string;
}
