/** Fields of the schemas of settings and requests. */
import type { TObject } from 'typebox';
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

/** Lists the fields of the schemas as `Object.field`, canonical names only. */
export function listOwnFields(): string[] {
  return Object.entries(schemas).flatMap(([object, schema]) =>
    Object.keys(schema.properties)
      .filter((field) => field === canonicalKeyOf(field))
      .filter((field) => !['JobSettings', 'SubmitSettings'].includes(object) || !taskFields.has(field))
      .map((field) => `${object}.${field}`),
  );
}
