/** Schemas of runs and their states as answers carry them (spec 2.5, 2.6), for the documentation. */
import { Type } from 'typebox';
import { JobCluster, CronSchedule, TaskSettings } from '../engine/job/settings.ts';
import { Library, NewCluster } from '../engine/job/cluster.ts';
import { Id } from '../engine/job/scalars.ts';
import { taskKindFields } from '../engine/job/task-kinds.ts';
import { RunParameters } from '../engine/run/parameters.ts';
import { lifeCycleStates, resultStates } from '../engine/run/states.ts';
import { epochMs, milliseconds } from './shown-times.ts';

const id = (description: string) => Type.Integer({ ...Id, description });

const RunState = Type.Object(
  {
    life_cycle_state: Type.Enum([...lifeCycleStates], { description: 'Where the run stands.' }),
    result_state: Type.Optional(Type.Enum([...resultStates], { description: 'How it ended; absent while that is not known.' })),
    state_message: Type.String({ description: 'Says more, for people; empty when there is nothing to say.' }),
    user_cancelled_or_timedout: Type.Boolean({ description: 'True when it was cancelled or ran out of time.' }),
  },
  { description: 'State of a run or task run.' },
);

const ClusterInstance = Type.Object(
  {
    cluster_id: Type.String({ description: 'The cluster that is used.' }),
    spark_context_id: Type.Optional(Type.String({ description: 'Set when the run begins.' })),
  },
  { description: 'Set once a cluster was asked for.' },
);

const ClusterSpec = Type.Object(
  {
    existing_cluster_id: Type.Optional(Type.String({ description: 'Existing cluster. Or new_cluster, or job_cluster_key.' })),
    new_cluster: Type.Optional(NewCluster),
    job_cluster_key: Type.Optional(Type.String({ description: 'Entry of the job_clusters of the run.' })),
    libraries: Type.Optional(Type.Array(Library, { description: 'Libraries of the task.' })),
  },
  { description: 'The cluster as it was asked for when the run was created.' },
);

const timeFields = {
  start_time: epochMs('Start; 0 when not started'),
  end_time: epochMs('End; 0 while it is not over'),
  setup_duration: milliseconds('Time from the start to the beginning of the work; 0 for a multi-task run'),
  execution_duration: milliseconds('Time that the work took; 0 for a multi-task run'),
  cleanup_duration: milliseconds('Time from the end of the work to the end; 0 for a multi-task run'),
};

const TaskRunDocument = Type.Object(
  {
    ...TaskSettings.properties,
    run_id: id('Id of this attempt: runs/get and runs/get-output take it.'),
    state: RunState,
    ...timeFields,
    attempt_number: Type.Integer({ minimum: 0, description: '0 for the first attempt.' }),
    cluster_instance: Type.Optional(ClusterInstance),
    run_page_url: Type.String({ description: 'Page of this task run.' }),
  },
  { description: 'One attempt of one task, with the settings of the task.' },
);

export const RunDocument = Type.Object(
  {
    job_id: id('Job of the run; a one-time run has a hidden one of its own.'),
    run_id: id('Id of the run.'),
    number_in_job: id('Number of the run within its job, from 1.'),
    original_attempt_run_id: id('The first attempt, when this run is a retry; else the run itself.'),
    job_run_id: Type.Optional(id('The run that a task run belongs to.')),
    parent_run_id: Type.Optional(id('The same, for a task of a multi-task run.')),
    task_key: Type.Optional(Type.String({ description: 'Key of the task, for a task run.' })),
    creator_user_name: Type.Optional(Type.String({ description: 'Who started it; omitted when that user is gone.' })),
    run_name: Type.String({ description: 'Name of the run: that of its job, or the run_name given.' }),
    run_type: Type.Enum(['JOB_RUN', 'WORKFLOW_RUN', 'SUBMIT_RUN'], { description: 'What it was started from.' }),
    run_page_url: Type.String({ description: 'Page of the run.' }),
    trigger: Type.Enum(['PERIODIC', 'ONE_TIME', 'RETRY'], { description: 'What started it.' }),
    schedule: Type.Optional(CronSchedule),
    state: RunState,
    ...timeFields,
    run_duration: Type.Optional(milliseconds('Length of a multi-task run; absent while it is not over')),
    attempt_number: Type.Integer({ minimum: 0, description: '0 for the first attempt.' }),
    format: Type.Enum(['SINGLE_TASK', 'MULTI_TASK'], { description: 'MULTI_TASK runs have tasks, SINGLE_TASK runs a task.' }),
    overriding_parameters: Type.Optional(RunParameters),
    task: Type.Optional(Type.Object(taskKindFields, { description: 'What a run of one task does.' })),
    cluster_spec: Type.Optional(ClusterSpec),
    cluster_instance: Type.Optional(ClusterInstance),
    job_clusters: Type.Optional(Type.Array(JobCluster, { description: 'Shared clusters of a multi-task run.' })),
    tasks: Type.Optional(Type.Array(TaskRunDocument, { description: 'Every attempt of every task; empty in lists.' })),
  },
  { description: 'A run, or a task run that was asked for by its own id.' },
);
