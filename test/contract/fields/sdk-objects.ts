/** Interfaces of the SDK and the tables of documented fields that describe them. */
import { documentedFields } from '../../../engine/job/fields/documented-fields.ts';
import type { FieldTable } from '../../../engine/job/fields/field-support.ts';
import { canonicalKeyOf, spellingsOf, type AliasedKey } from '../../../engine/validation/aliases.ts';
import { newerFields } from './newer-fields.ts';
import { readSdkInterfaces } from './sdk-types.ts';

export type ObjectName = keyof typeof documentedFields;

/**
 * Interfaces by name. Of two with one name, the clusters and libraries of `compute` are those that settings
 * contain.
 */
const interfaces = new Map([
  ...readSdkInterfaces('pipelines'),
  ...readSdkInterfaces('jobs'),
  ...readSdkInterfaces('compute'),
]);
for (const [name, fields] of Object.entries(newerFields))
  interfaces.set(name, [
    ...(interfaces.get(name) ?? []),
    ...fields.map((field) => ({ name: field, type: undefined })),
  ]);

/** Interfaces of requests, at which the walk begins. */
const roots = ['CreateJob', 'UpdateJob', 'ResetJob', 'SubmitRun', 'RunNow', 'RepairRun'];

/** Interfaces of other requests -> table; the objects inside them have no tables. */
const otherRequests: Readonly<Record<string, ObjectName>> = {
  CreateCluster: 'ClusterRequest',
  EditCluster: 'ClusterRequest',
  RestartCluster: 'ClusterRequest',
  CreateInstancePool: 'InstancePool',
  EditInstancePool: 'InstancePool',
  CreatePolicy: 'ClusterPolicy',
  EditPolicy: 'ClusterPolicy',
  CreatePipeline: 'Pipeline',
  EditPipeline: 'Pipeline',
};

/** Interface of the SDK -> table, where the names differ. */
const tableNames: Readonly<Record<string, ObjectName>> = {
  CreateJob: 'JobSettings',
  SubmitRun: 'SubmitSettings',
  Task: 'TaskSettings',
  SubmitTask: 'TaskSettings',
  ClusterSpec: 'NewCluster',
  GcpAttributes: 'CloudAttributes',
  AwsAttributes: 'PlacementAttributes',
  AzureAttributes: 'PlacementAttributes',
  S3StorageInfo: 'StorageInfo',
  DbfsStorageInfo: 'StorageInfo',
  GcsStorageInfo: 'StorageInfo',
  VolumesStorageInfo: 'StorageInfo',
  WorkspaceStorageInfo: 'StorageInfo',
  Adlsgen2Info: 'StorageInfo',
  ClientsTypes: 'WorkloadClients',
  TaskEmailNotifications: 'JobEmailNotifications',
  TaskNotificationSettings: 'JobNotificationSettings',
  TriggerSettings: 'Trigger',
  PeriodicTriggerConfiguration: 'PeriodicTrigger',
  QueueSettings: 'Queue',
  JobParameterDefinition: 'JobParameter',
  JobRunAs: 'RunAs',
  JobDeployment: 'Deployment',
  JobAccessControlRequest: 'AccessControlRequest',
};

/** Returns the table of an interface; undefined when there is none. */
function tableNameOf(type: string): ObjectName | undefined {
  return tableNames[type] ?? (isObjectName(type) ? type : undefined);
}

function isObjectName(name: string): name is ObjectName {
  return Object.hasOwn(documentedFields, name);
}

/**
 * Lists the documented fields that a request can reach, as `Object.field` with the names of the tables; an
 * object without a table has the name of its interface. Fields inside a refused field are left out.
 */
export function listSdkFields(): ReadonlySet<string> {
  const found = new Set<string>();
  const seen = new Set<string>();
  const visit = (type: string): void => {
    if (seen.has(type)) return;
    seen.add(type);
    const name = tableNameOf(type);
    const table: FieldTable = name === undefined ? {} : documentedFields[name];
    for (const field of interfaces.get(type) ?? []) {
      const key = canonicalKeyOf(field.name);
      found.add(`${name ?? type}.${key}`);
      if (field.type !== undefined && interfaces.has(field.type) && table[key]?.state !== 'refused')
        visit(field.type);
    }
  };
  roots.forEach(visit);
  for (const [type, name] of Object.entries(otherRequests)) {
    const own: FieldTable = documentedFields[name];
    for (const field of interfaces.get(type) ?? []) {
      const key = canonicalKeyOf(field.name);
      // A cluster has the fields of a new cluster, too.
      const isOfCluster = name === 'ClusterRequest' && !Object.hasOwn(own, key);
      found.add(`${isOfCluster ? 'NewCluster' : name}.${key}`);
    }
  }
  return found;
}

const aliasedKeys: readonly AliasedKey[] = [
  'managed_fs',
  'objstore',
  'cloud_attributes',
  'cloud_service_account',
  'placement_attributes',
  'operator',
];

/**
 * Returns the tables for a program that walks another SDK: all fields, those whose contents have no effect, and names
 * that differ.
 */
export function listDocumentedFields(): object {
  const entries = Object.entries<FieldTable>(documentedFields).flatMap(([object, table]) =>
    Object.entries(table).map(([field, { state }]) => ({ name: `${object}.${field}`, state })),
  );
  return {
    fields: entries.map(({ name }) => name),
    closed: entries.filter(({ state }) => state !== 'works').map(({ name }) => name),
    tables: tableNames,
    names: Object.fromEntries(
      aliasedKeys.flatMap((key) => spellingsOf(key).map((spelling) => [spelling, key])),
    ),
  };
}
