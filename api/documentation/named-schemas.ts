/** Named schemas of the API reference. */
import type { TSchema } from 'typebox';
import {
  JobEmailNotifications,
  JobNotificationSettings,
  JobsHealthRules,
  WebhookNotifications,
} from '../../engine/job/notification-settings.ts';
import {
  CloudAttributes,
  Library,
  NewCluster,
  PlacementAttributes,
  StorageInfo,
} from '../../engine/job/cluster.ts';
import { AccessControlRequest } from '../../engine/job/permissions.ts';
import { CronSchedule, JobCluster, JobSettings, TaskSettings } from '../../engine/job/settings.ts';
import { taskKinds, taskKindTable, type PluginKind } from '../../engine/job/task-kinds.ts';
import { RunParameters } from '../../engine/run/parameters.ts';
import { DestinationConfig } from '../../engine/notification/destination.ts';
import { DeliveryDocument } from '../views/delivery-view.ts';
import { DestinationSummary } from '../views/destination-view.ts';
import { JobDocument } from '../views/job-view.ts';
import { AccessControlList } from '../permissions/access-control-list.ts';
import {
  ClusterInstance,
  ClusterSpec,
  RunDocument,
  RunState,
  RunStatus,
  TaskRunDocument,
} from '../views/run-document.ts';
import { addPluginKindsToSchema } from '../http/plugin-schemas.ts';
import { TokenInfo } from '../views/token-view.ts';
import { ClassicQuery, ClassicVisualization, ClassicWidget } from '../../engine/dashboard/classic.ts';
import { DashboardDocument, DashboardSummary } from '../views/dashboard-view.ts';
import { ErrorDocument } from './error-responses.ts';

const namedSchemas: Readonly<Record<string, TSchema>> = {
  Job: JobDocument,
  JobSettings,
  TaskSettings,
  JobCluster,
  CronSchedule,
  Run: RunDocument,
  TaskRun: TaskRunDocument,
  RunState,
  RunStatus,
  RunParameters,
  ClusterInstance,
  ClusterSpec,
  ...Object.fromEntries(taskKinds.map((kind) => [schemaNameOfKind(kind), taskKindTable[kind].schema])),
  NewCluster,
  CloudAttributes,
  PlacementAttributes,
  StorageInfo,
  Library,
  JobEmailNotifications,
  JobNotificationSettings,
  JobsHealthRules,
  WebhookNotifications,
  AccessControlRequest,
  AccessControlList,
  TokenInfo,
  DestinationConfig,
  Delivery: DeliveryDocument,
  Destination: DestinationSummary,
  Error: ErrorDocument,
  ClassicWidget,
  ClassicVisualization,
  ClassicQuery,
  Dashboard: DashboardDocument,
  DashboardSummary,
};

/** Named schemas of one service. */
export interface SchemaNames {
  /** Returns the named schemas as OpenAPI components that reference each other. */
  readonly components: () => Record<string, unknown>;
  /** Returns a copy in which named schemas are replaced by references. */
  readonly withReferences: (node: unknown) => unknown;
}

/**
 * Creates the named schemas.
 * @param plugins task kinds of plugins, each of which becomes a named schema
 */
export function createSchemaNames(plugins: readonly PluginKind[]): SchemaNames {
  const pluginSchemas = plugins.map(({ name, schema }) => [schemaNameOfKind(name), schema] as const);
  const all = [
    ...Object.entries(namedSchemas).map(
      ([name, schema]) => [name, addPluginKindsToSchema(schema, plugins)] as const,
    ),
    ...pluginSchemas,
  ];
  const nameByText: ReadonlyMap<string, string> = new Map(
    all.map(([name, schema]) => [JSON.stringify(schema), name]),
  );
  const withReferences = (node: unknown): unknown => {
    const name = isObjectSchema(node) ? nameByText.get(JSON.stringify(node)) : undefined;
    return name === undefined ? replaceInside(node) : { $ref: `#/components/schemas/${name}` };
  };
  const replaceInside = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(withReferences);
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(
      Object.entries(node).map(([key, value]: [string, unknown]) => [key, withReferences(value)]),
    );
  };
  const components = (): Record<string, unknown> =>
    Object.fromEntries(
      all.map(([name, schema]) => {
        const plain: unknown = JSON.parse(JSON.stringify(schema));
        return [name, replaceInside(plain)];
      }),
    );
  return { components, withReferences };
}

/** `http_request_task` -> `HttpRequestTask`. */
function schemaNameOfKind(kind: string): string {
  return kind.replaceAll(/(?:^|_)([a-z0-9])/g, (_, first: string) => first.toUpperCase());
}

function isObjectSchema(node: unknown): boolean {
  return typeof node === 'object' && node !== null && 'type' in node && node.type === 'object';
}
