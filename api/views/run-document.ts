/** Response schemas of runs and their states (spec 2.5, 2.6). */
import { Type } from 'typebox';
import { JobCluster, JobParameter, CronSchedule, TaskSettings } from '../../engine/job/settings.ts';
import { Library, NewCluster } from '../../engine/job/cluster.ts';
import { Id } from '../../engine/validation/scalars.ts';
import { taskKindFields } from '../../engine/job/task-kinds.ts';
import { RunParameters } from '../../engine/run/parameters.ts';
import { lifeCycleStates, resultStates } from '../../engine/run/states.ts';
import { causeCodes, ExplanationSchema } from '../../engine/run/explain/explanation.ts';
import { queueCodes, statusStates, terminationCodes, terminationTypes } from '../../engine/run/run-status.ts';
import { epochMsSchema, durationMsSchema } from './time-schemas.ts';

const id = (description: string) => Type.Integer({ ...Id, description });

export const RunState = Type.Object(
  {
    life_cycle_state: Type.Enum([...lifeCycleStates], { description: 'Life-cycle state.' }),
    result_state: Type.Optional(
      Type.Enum([...resultStates], { description: 'Result; absent until it is known.' }),
    ),
    state_message: Type.String({ description: 'Human-readable details; may be empty.' }),
    user_cancelled_or_timedout: Type.Boolean({ description: 'True for a cancelled or timed-out run.' }),
  },
  { description: 'State of a run or task run.' },
);

export const RunStatus = Type.Object(
  {
    state: Type.Enum([...statusStates], { description: 'State; TERMINATED for every terminal state.' }),
    queue_details: Type.Optional(
      Type.Object(
        {
          code: Type.Enum([...queueCodes], { description: 'Limit that the run waits for.' }),
          message: Type.String({ description: 'Human-readable reason.' }),
        },
        { description: 'Reason of the wait of a QUEUED run.' },
      ),
    ),
    termination_details: Type.Optional(
      Type.Object(
        {
          code: Type.Enum([...terminationCodes], { description: 'Reason of the termination.' }),
          type: Type.Enum([...terminationTypes], { description: 'Category of the reason.' }),
          message: Type.String({ description: 'Same as state_message.' }),
          cause_code: Type.Optional(
            Type.Enum(causeCodes, { description: 'Stable code of the cause; absent for a success.' }),
          ),
        },
        { description: 'Details of the termination.' },
      ),
    ),
  },
  { description: 'Successor of state, in 2.1 and 2.2.' },
);

export const ClusterInstance = Type.Object(
  {
    cluster_id: Type.String({ description: 'Id of the cluster.' }),
    spark_context_id: Type.Optional(Type.String({ description: 'Set when the run starts.' })),
  },
  { description: 'Set after a cluster was requested.' },
);

export const ClusterSpec = Type.Object(
  {
    existing_cluster_id: Type.Optional(
      Type.String({ description: 'Id of an existing cluster. Alternatives: new_cluster, job_cluster_key.' }),
    ),
    new_cluster: Type.Optional(NewCluster),
    job_cluster_key: Type.Optional(Type.String({ description: 'Entry of the job_clusters of the run.' })),
    libraries: Type.Optional(Type.Array(Library, { description: 'Libraries of the task.' })),
  },
  { description: 'Cluster specification at the creation of the run.' },
);

const timeFields = {
  start_time: epochMsSchema('Start time; 0 before the start'),
  end_time: epochMsSchema('End time; 0 while active'),
  setup_duration: durationMsSchema(
    'Time from the start of the run to the start of its work; 0 for a multi-task run',
  ),
  execution_duration: durationMsSchema('Duration of the work; 0 for a multi-task run'),
  cleanup_duration: durationMsSchema(
    'Time from the end of the work to the end of the run; 0 for a multi-task run',
  ),
};

export const TaskRunDocument = Type.Object(
  {
    ...TaskSettings.properties,
    run_id: id('Id of this attempt, for runs/get and runs/get-output.'),
    state: RunState,
    status: Type.Optional(RunStatus),
    explanation: Type.Optional(ExplanationSchema),
    ...timeFields,
    attempt_number: Type.Integer({ minimum: 0, description: '0 for the first attempt.' }),
    cluster_instance: Type.Optional(ClusterInstance),
    run_page_url: Type.String({ description: 'URL of the task run in the console.' }),
    resolved_values: Type.Optional(
      Type.Object(
        {},
        { description: 'Resolved parameters of the task by its kind; only with include_resolved_values.' },
      ),
    ),
  },
  { description: 'Attempt of a task with the settings of the task.' },
);

const RepairHistoryItem = Type.Object(
  {
    type: Type.Enum(['ORIGINAL', 'REPAIR'], {
      description: 'ORIGINAL: the original run. REPAIR: a repair of it.',
    }),
    id: Type.Optional(id('Id of the repair.')),
    start_time: epochMsSchema('Start time'),
    end_time: epochMsSchema('End time; 0 while active'),
    state: RunState,
    status: Type.Optional(RunStatus),
    explanation: Type.Optional(ExplanationSchema),
    task_run_ids: Type.Array(Type.Integer({ ...Id }), { description: 'Ids of its task runs.' }),
  },
  { description: 'Original run or a repair of it.' },
);

export const RunDocument = Type.Object(
  {
    job_id: id('Id of the job; a one-time run has its own hidden job.'),
    run_id: id('Id of the run.'),
    number_in_job: id('Number of the run within its job, from 1.'),
    original_attempt_run_id: id('Id of the first attempt of a retried run; otherwise the id of the run.'),
    job_run_id: Type.Optional(id('Id of the run of a task run.')),
    parent_run_id: Type.Optional(id('Same as job_run_id, for a task of a multi-task run.')),
    task_key: Type.Optional(Type.String({ description: 'Key of the task, for a task run.' })),
    creator_user_name: Type.Optional(
      Type.String({ description: 'User who started the run; absent after the deletion of that user.' }),
    ),
    run_name: Type.String({ description: 'Name of the job, or the given run_name.' }),
    run_type: Type.Enum(['JOB_RUN', 'WORKFLOW_RUN', 'SUBMIT_RUN'], { description: 'Type of the run.' }),
    run_page_url: Type.String({ description: 'URL of the run in the console.' }),
    trigger: Type.Enum(['PERIODIC', 'ONE_TIME', 'RETRY'], { description: 'Trigger of the run.' }),
    schedule: Type.Optional(CronSchedule),
    queue_duration: Type.Optional(
      durationMsSchema('Time in the queue; absent for a run that was not queued'),
    ),
    state: RunState,
    status: Type.Optional(RunStatus),
    explanation: Type.Optional(ExplanationSchema),
    ...timeFields,
    run_duration: Type.Optional(
      durationMsSchema('Duration of a multi-task run with all its repairs; absent while active'),
    ),
    attempt_number: Type.Integer({ minimum: 0, description: '0 for the first attempt.' }),
    format: Type.Enum(['SINGLE_TASK', 'MULTI_TASK'], {
      description: 'MULTI_TASK runs have the field tasks, SINGLE_TASK runs have the field task.',
    }),
    overriding_parameters: Type.Optional(RunParameters),
    job_parameters: Type.Optional(
      Type.Array(
        Type.Object({
          ...JobParameter.properties,
          value: Type.String({ description: 'Value in this run with resolved references.' }),
        }),
        { description: 'Parameters of the job, in 2.1 and 2.2; absent for jobs without parameters.' },
      ),
    ),
    task: Type.Optional(Type.Object(taskKindFields, { description: 'Task of a single-task run.' })),
    cluster_spec: Type.Optional(ClusterSpec),
    cluster_instance: Type.Optional(ClusterInstance),
    job_clusters: Type.Optional(
      Type.Array(JobCluster, { description: 'Shared clusters of a multi-task run.' }),
    ),
    tasks: Type.Optional(
      Type.Array(TaskRunDocument, { description: 'All attempts of all tasks; empty in lists.' }),
    ),
    repair_history: Type.Optional(
      Type.Array(RepairHistoryItem, {
        description: 'Original run and its repairs, oldest first; only with include_history.',
      }),
    ),
  },
  { description: 'Run, or a task run requested by its own id.' },
);
