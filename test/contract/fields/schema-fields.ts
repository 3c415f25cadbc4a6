/** Fields of the schemas of settings and requests. */
import type { TObject, TSchema } from 'typebox';
import type { Operation } from '../../../api/http/operation.ts';
import * as cluster from '../../../engine/job/cluster.ts';
import { singleTaskFields } from '../../../engine/job/job-format.ts';
import * as notification from '../../../engine/job/notification-settings.ts';
import { AccessControlRequest } from '../../../engine/job/permissions.ts';
import * as settings from '../../../engine/job/settings.ts';
import * as tasks from '../../../engine/job/task-schemas.ts';
import { Trigger } from '../../../engine/job/trigger.ts';
import { canonicalKeyOf } from '../../../engine/validation/aliases.ts';
import type { ObjectName } from './sdk-objects.ts';

const schemas: Partial<Record<ObjectName, TObject>> = {
  JobSettings: settings.JobSettings,
  SubmitSettings: settings.SubmitSettings,
  TaskSettings: settings.TaskSettings,
  NotebookTask: tasks.NotebookTask,
  SparkJarTask: tasks.SparkJarTask,
  SparkPythonTask: tasks.SparkPythonTask,
  SparkSubmitTask: tasks.SparkSubmitTask,
  PipelineTask: tasks.PipelineTask,
  RunJobTask: tasks.RunJobTask,
  PipelineParams: tasks.PipelineParams,
  JobCluster: settings.JobCluster,
  NewCluster: cluster.NewCluster,
  AutoScale: cluster.AutoScale,
  CloudAttributes: cluster.CloudAttributes,
  PlacementAttributes: cluster.PlacementAttributes,
  ClusterLogConf: cluster.ClusterLogConf,
  InitScriptInfo: cluster.InitScriptInfo,
  StorageInfo: cluster.StorageInfo,
  Library: cluster.Library,
  MavenLibrary: cluster.MavenLibrary,
  RCranLibrary: cluster.RCranLibrary,
  CronSchedule: settings.CronSchedule,
  Trigger,
  Queue: settings.Queue,
  JobParameter: settings.JobParameter,
  RunAs: settings.RunAs,
  AccessControlRequest,
  JobEmailNotifications: notification.JobEmailNotifications,
  WebhookNotifications: notification.WebhookNotifications,
  JobNotificationSettings: notification.JobNotificationSettings,
  JobsHealthRules: notification.JobsHealthRules,
};

/** Fields of the only task of a job or submission, which are those of a task. */
const taskFields: ReadonlySet<string> = new Set(singleTaskFields);

/** Paths of the operations whose requests have a table. */
const requestPaths: Partial<Record<ObjectName, string>> = {
  RunNow: '/jobs/run-now',
  RepairRun: '/jobs/runs/repair',
  UpdateJob: '/jobs/update',
  ResetJob: '/jobs/reset',
};

/** Lists the fields of the schemas and of the requests as `Object.field`, canonical names only. */
export function listOwnFields(operations: readonly Operation[]): string[] {
  const requests = Object.entries(requestPaths).map(([object, path]): [string, TSchema | undefined] => [
    object,
    operations.find((operation) => operation.path === path)?.request,
  ]);
  return [...Object.entries(schemas), ...requests].flatMap(([object, schema]) =>
    Object.keys(propertiesOf(schema))
      .filter((field) => field === canonicalKeyOf(field))
      .filter((field) => !['JobSettings', 'SubmitSettings'].includes(object) || !taskFields.has(field))
      .map((field) => `${object}.${field}`),
  );
}

function propertiesOf(schema: TSchema | undefined): object {
  const properties: unknown = schema === undefined ? undefined : Reflect.get(schema, 'properties');
  if (typeof properties !== 'object' || properties === null) throw new Error('The schema has no properties.');
  return properties;
}
