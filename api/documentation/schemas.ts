/** Schemas that the description names once and refers to wherever they occur. */
import type { TSchema } from 'typebox';
import { JobEmailNotifications, JobNotificationSettings, JobsHealthRules, WebhookNotifications } from '../../engine/job/alerts.ts';
import { CloudAttributes, Library, NewCluster, PlacementAttributes, StorageInfo } from '../../engine/job/cluster.ts';
import { AccessControlRequest } from '../../engine/job/permissions.ts';
import { CronSchedule, JobCluster, JobSettings, TaskSettings } from '../../engine/job/settings.ts';
import { NotebookTask, PipelineTask, RunJobTask, SparkJarTask, SparkPythonTask, SparkSubmitTask } from '../../engine/job/task-kinds.ts';
import { RunParameters } from '../../engine/run/parameters.ts';
import { DestinationConfig } from '../../engine/notification/destination.ts';
import { DeliveryDocument } from '../deliveries/delivery-view.ts';
import { ListedDestination } from '../destinations/destination-view.ts';
import { JobDocument } from '../job-view.ts';
import { AccessControlList } from '../permissions/list-view.ts';
import { ClusterInstance, ClusterSpec, RunDocument, RunState, RunStatus, TaskRunDocument } from '../run-document.ts';
import { TokenInfo } from '../tokens/token-view.ts';
import { ClassicQuery, ClassicVisualization, ClassicWidget } from '../../engine/dashboard/classic.ts';
import { DashboardDocument, DashboardSummary } from '../dashboards/dashboard-view.ts';
import { RefusalDocument } from './refusals.ts';

const named: Readonly<Record<string, TSchema>> = {
  Job: JobDocument, JobSettings, TaskSettings, JobCluster, CronSchedule,
  Run: RunDocument, TaskRun: TaskRunDocument, RunState, RunStatus, RunParameters, ClusterInstance, ClusterSpec,
  NotebookTask, SparkJarTask, SparkPythonTask, SparkSubmitTask, PipelineTask, RunJobTask,
  NewCluster, CloudAttributes, PlacementAttributes, StorageInfo, Library,
  JobEmailNotifications, JobNotificationSettings, JobsHealthRules, WebhookNotifications,
  AccessControlRequest, AccessControlList, TokenInfo, DestinationConfig, Delivery: DeliveryDocument, Destination: ListedDestination, Refusal: RefusalDocument,
  ClassicWidget, ClassicVisualization, ClassicQuery, Dashboard: DashboardDocument, DashboardSummary,
};

/** Text of a schema -> its name. */
const nameByText: ReadonlyMap<string, string> = new Map(Object.entries(named).map(([name, schema]) => [JSON.stringify(schema), name]));

/** The named schemas as components of the description; they refer to one another. */
export function schemaComponents(): Record<string, unknown> {
  return Object.fromEntries(Object.entries(named).map(([name, schema]) => {
    const plain: unknown = JSON.parse(JSON.stringify(schema));
    return [name, withinReferring(plain)];
  }));
}

/** A copy in which every occurrence of a named schema is a reference to it. */
export function referring(node: unknown): unknown {
  const name = isObjectSchema(node) ? nameByText.get(JSON.stringify(node)) : undefined;
  return name === undefined ? withinReferring(node) : { $ref: `#/components/schemas/${name}` };
}

function withinReferring(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(referring);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(Object.entries(node).map(([key, value]: [string, unknown]) => [key, referring(value)]));
}

function isObjectSchema(node: unknown): boolean {
  return typeof node === 'object' && node !== null && 'type' in node && node.type === 'object';
}
