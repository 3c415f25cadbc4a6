/** Schemas of runs and their states as answers carry them (spec 2.5, 2.6), for the documentation. */
import { Type } from 'typebox';
import { JobCluster, JobParameter, CronSchedule, TaskSettings } from '../../engine/job/settings.ts';
import { Library, NewCluster } from '../../engine/job/cluster.ts';
import { Id } from '../../engine/validation/scalars.ts';
import { taskKindFields } from '../../engine/job/task-kinds.ts';
import { RunParameters } from '../../engine/run/parameters.ts';
import { lifeCycleStates, resultStates } from '../../engine/run/states.ts';
import { queueCodes, statusStates, terminationCodes, terminationTypes } from '../../engine/run/run-status.ts';
import { epochMsSchema, durationMsSchema } from './time-schemas.ts';

const id = (description: string) => Type.Integer({ ...Id, description });

export const RunState = Type.Object(
  {
    life_cycle_state: Type.Enum([...lifeCycleStates], { description: 'Where the run stands.' }),
    result_state: Type.Optional(
      Type.Enum([...resultStates], { description: 'How it ended; absent while that is not known.' }),
    ),
    state_message: Type.String({ description: 'Says more, for people; empty when there is nothing to say.' }),
    user_cancelled_or_timedout: Type.Boolean({
      description: 'True when it was cancelled or ran out of time.',
    }),
  },
  { description: 'State of a run or task run.' },
);

export const RunStatus = Type.Object(
  {
    state: Type.Enum([...statusStates], { description: 'Where the run stands; every end is TERMINATED.' }),
    queue_details: Type.Optional(
      Type.Object(
        {
          code: Type.Enum([...queueCodes], { description: 'The limit that it waits for.' }),
          message: Type.String({ description: 'The same for people.' }),
        },
        { description: 'Why it waits, while it is QUEUED.' },
      ),
    ),
    termination_details: Type.Optional(
      Type.Object(
        {
          code: Type.Enum([...terminationCodes], { description: 'How it ended.' }),
          type: Type.Enum([...terminationTypes], { description: 'Whose doing that was.' }),
          message: Type.String({ description: 'The state_message.' }),
        },
        { description: 'How it ended or is ending.' },
      ),
    ),
  },
  { description: 'The newer form of state, in 2.1 and 2.2.' },
);

export const ClusterInstance = Type.Object(
  {
    cluster_id: Type.String({ description: 'The cluster that is used.' }),
    spark_context_id: Type.Optional(Type.String({ description: 'Set when the run begins.' })),
  },
  { description: 'Set once a cluster was asked for.' },
);

export const ClusterSpec = Type.Object(
  {
    existing_cluster_id: Type.Optional(
      Type.String({ description: 'Existing cluster. Or new_cluster, or job_cluster_key.' }),
    ),
    new_cluster: Type.Optional(NewCluster),
    job_cluster_key: Type.Optional(Type.String({ description: 'Entry of the job_clusters of the run.' })),
    libraries: Type.Optional(Type.Array(Library, { description: 'Libraries of the task.' })),
  },
  { description: 'The cluster as it was asked for when the run was created.' },
);

const timeFields = {
  start_time: epochMsSchema('Start; 0 when not started'),
  end_time: epochMsSchema('End; 0 while it is not over'),
  setup_duration: durationMsSchema(
    'Time from the start to the beginning of the work; 0 for a multi-task run',
  ),
  execution_duration: durationMsSchema('Time that the work took; 0 for a multi-task run'),
  cleanup_duration: durationMsSchema('Time from the end of the work to the end; 0 for a multi-task run'),
};

export const TaskRunDocument = Type.Object(
  {
    ...TaskSettings.properties,
    run_id: id('Id of this attempt: runs/get and runs/get-output take it.'),
    state: RunState,
    status: Type.Optional(RunStatus),
    ...timeFields,
    attempt_number: Type.Integer({ minimum: 0, description: '0 for the first attempt.' }),
    cluster_instance: Type.Optional(ClusterInstance),
    run_page_url: Type.String({ description: 'Page of this task run.' }),
    resolved_values: Type.Optional(
      Type.Object(
        {},
        {
          description:
            'Parameters that the task was given, under the field of its kind; with include_resolved_values.',
        },
      ),
    ),
  },
  { description: 'One attempt of one task, with the settings of the task.' },
);

const RepairHistoryItem = Type.Object(
  {
    type: Type.Enum(['ORIGINAL', 'REPAIR'], {
      description: 'ORIGINAL: the run as it was started; REPAIR: a repair of it.',
    }),
    id: Type.Optional(id('Id of the repair.')),
    start_time: epochMsSchema('When it began'),
    end_time: epochMsSchema('When the run was over with it; 0 while it is not'),
    state: RunState,
    status: Type.Optional(RunStatus),
    task_run_ids: Type.Array(Type.Integer({ ...Id }), {
      description: 'Ids of the task runs that were made in it.',
    }),
  },
  { description: 'The run as it was started, or a repair of it.' },
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
    creator_user_name: Type.Optional(
      Type.String({ description: 'Who started it; omitted when that user is gone.' }),
    ),
    run_name: Type.String({ description: 'Name of the run: that of its job, or the run_name given.' }),
    run_type: Type.Enum(['JOB_RUN', 'WORKFLOW_RUN', 'SUBMIT_RUN'], {
      description: 'What it was started from.',
    }),
    run_page_url: Type.String({ description: 'Page of the run.' }),
    trigger: Type.Enum(['PERIODIC', 'ONE_TIME', 'RETRY'], { description: 'What started it.' }),
    schedule: Type.Optional(CronSchedule),
    queue_duration: Type.Optional(
      durationMsSchema('Time that it waited in the queue; absent for a run that never waited there'),
    ),
    state: RunState,
    status: Type.Optional(RunStatus),
    ...timeFields,
    run_duration: Type.Optional(
      durationMsSchema('Length of a multi-task run with all its repairs; absent while it is not over'),
    ),
    attempt_number: Type.Integer({ minimum: 0, description: '0 for the first attempt.' }),
    format: Type.Enum(['SINGLE_TASK', 'MULTI_TASK'], {
      description: 'MULTI_TASK runs have tasks, SINGLE_TASK runs a task.',
    }),
    overriding_parameters: Type.Optional(RunParameters),
    job_parameters: Type.Optional(
      Type.Array(
        Type.Object({
          ...JobParameter.properties,
          value: Type.String({ description: 'Value in this run, references resolved.' }),
        }),
        { description: 'Parameters of the job, for runs of jobs that have some, in 2.1 and 2.2.' },
      ),
    ),
    task: Type.Optional(Type.Object(taskKindFields, { description: 'What a run of one task does.' })),
    cluster_spec: Type.Optional(ClusterSpec),
    cluster_instance: Type.Optional(ClusterInstance),
    job_clusters: Type.Optional(
      Type.Array(JobCluster, { description: 'Shared clusters of a multi-task run.' }),
    ),
    tasks: Type.Optional(
      Type.Array(TaskRunDocument, { description: 'Every attempt of every task; empty in lists.' }),
    ),
    repair_history: Type.Optional(
      Type.Array(RepairHistoryItem, {
        description: 'The run as it was started, then its repairs, oldest first; with include_history.',
      }),
    ),
  },
  { description: 'A run, or a task run that was asked for by its own id.' },
);
