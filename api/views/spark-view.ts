/** Spark applications and progress in responses. */
import { Type } from 'typebox';
import type { ClusterApplication, TaskProgress } from '../../engine/ports/spark-applications.ts';
import { progressOfUser, type SparkProgress, type SparkStage } from '../../engine/run/spark-application.ts';
import { epochMsSchema } from './time-schemas.ts';

const StageDocument = Type.Object(
  {
    stage_id: Type.Integer({ description: 'Id of the stage.' }),
    name: Type.String({ description: 'Operation and place in the code.' }),
    num_tasks: Type.Integer({ description: 'Number of its tasks.' }),
    num_completed_tasks: Type.Integer({ description: 'Tasks that have succeeded.' }),
    start_time: epochMsSchema('Start'),
  },
  { description: 'Running stage of Spark.' },
);

const counts = {
  num_jobs: Type.Integer({ description: 'Jobs of Spark that have started.' }),
  num_completed_jobs: Type.Integer({ description: 'Jobs that have succeeded.' }),
  num_failed_jobs: Type.Integer({ description: 'Jobs that have failed or were stopped.' }),
  num_stages: Type.Integer({ description: 'Stages of these jobs.' }),
  num_completed_stages: Type.Integer({ description: 'Stages that are completed or were skipped.' }),
  num_tasks: Type.Integer({ description: 'Tasks of these stages.' }),
  num_completed_tasks: Type.Integer({ description: 'Tasks that are completed or were skipped.' }),
  active_stages: Type.Array(StageDocument, { description: 'Stages that run now.' }),
};

export const SparkProgressDocument = Type.Object(
  { application_id: Type.String({ description: 'Id of the Spark application.' }), ...counts },
  { description: 'What Spark computes for the task run; absent for a task that has not used Spark.' },
);

const ExecutorDocument = Type.Object(
  {
    executor_id: Type.String({
      description: 'Id of the executor; `driver` when the driver computes itself.',
    }),
    host: Type.String({ description: 'Host.' }),
    num_cores: Type.Integer({ description: 'Number of cores.' }),
    start_time: epochMsSchema('Start'),
    end_time: Type.Optional(epochMsSchema('End')),
    end_reason: Type.Optional(Type.String({ description: 'Why it ended.' })),
  },
  { description: 'Executor of the application.' },
);

export const SparkApplicationDocument = Type.Object(
  {
    application_id: Type.String({
      description: 'Id of the application, as `spark_context_id` of its tasks.',
    }),
    name: Type.String({ description: 'Name of the application.' }),
    spark_version: Type.String({ description: 'Version of Spark.' }),
    state: Type.Enum(['RUNNING', 'FINISHED', 'LOST'], {
      description: 'State. LOST: its driver is gone without having ended the application.',
    }),
    run_id: Type.Optional(
      Type.Integer({ description: 'Task run whose driver it is; absent for the driver that tasks share.' }),
    ),
    start_time: epochMsSchema('Start'),
    end_time: Type.Optional(epochMsSchema('End')),
    pages_url: Type.Optional(
      Type.String({
        description:
          "Spark's own pages, read only. The address opens them without a token for at least 30 minutes. Absent for an application that does not run on the machine of the service that answers.",
      }),
    ),
    executors: Type.Array(ExecutorDocument, { description: 'Executors, those that have ended included.' }),
    last_failure: Type.Optional(Type.String({ description: 'Message of the newest failed job.' })),
    ...counts,
  },
  { description: 'Spark application of a cluster.' },
);

function showCounts(progress: SparkProgress, stages: readonly SparkStage[]): object {
  return {
    num_jobs: progress.jobs,
    num_completed_jobs: progress.jobsDone,
    num_failed_jobs: progress.jobsFailed,
    num_stages: progress.stages,
    num_completed_stages: progress.stagesDone,
    num_tasks: progress.tasks,
    num_completed_tasks: progress.tasksDone,
    active_stages: stages.map(({ stageId, name, tasks, tasksDone, startedTime }) => ({
      stage_id: stageId,
      name,
      num_tasks: tasks,
      num_completed_tasks: tasksDone,
      start_time: startedTime,
    })),
  };
}

export function toSparkProgressView({ applicationId, progress, stages }: TaskProgress): object {
  return { application_id: applicationId, ...showCounts(progress, stages) };
}

/** @param pagesUrl undefined when there are no pages to show */
export function toSparkApplicationView(
  { application, runId, state }: ClusterApplication,
  pagesUrl: string | undefined,
): object {
  const { progress, stages } = progressOfUser(application, undefined);
  return {
    application_id: application.applicationId,
    name: application.name,
    spark_version: application.sparkVersion,
    state,
    ...(runId !== undefined && { run_id: runId }),
    start_time: application.startedTime,
    ...(application.endedTime !== undefined && { end_time: application.endedTime }),
    ...(pagesUrl !== undefined && { pages_url: pagesUrl }),
    executors: [...application.executors.values()].map((executor) => ({
      executor_id: executor.id,
      host: executor.host,
      num_cores: executor.cores,
      start_time: executor.addedTime,
      ...(executor.removedTime !== undefined && {
        end_time: executor.removedTime,
        end_reason: executor.removedReason,
      }),
    })),
    ...(application.lastFailure !== undefined && { last_failure: application.lastFailure }),
    ...showCounts(progress, state === 'RUNNING' ? stages : []),
  };
}
