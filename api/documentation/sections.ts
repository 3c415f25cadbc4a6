/** Sections (tags) of the API reference: one per group of operations, and per version of the jobs API. */
import { canonicalPath } from '../../engine/validation/aliases.ts';
import type { ApiVersion } from '../../engine/job/job-format.ts';
import { apiVersions } from '../http/api-versions.ts';

interface SectionDefinition {
  /** Prefix of the paths of its operations. */
  readonly prefix: string;
  readonly name: string;
  readonly description: string;
}

const jobsSection: SectionDefinition = { prefix: '/jobs/', name: 'Jobs', description: 'Jobs and their runs' };

const versionDescriptions: Readonly<Record<ApiVersion, string>> = {
  '2.2': 'multi-task, queued by default',
  '2.1': 'multi-task',
  '2.0': 'single-task or multi-task',
};

const sectionDefinitions: readonly SectionDefinition[] = [
  { prefix: '/permissions/', name: 'Permissions', description: 'Permissions on jobs' },
  { prefix: '/token/', name: 'Tokens', description: 'Personal access tokens' },
  { prefix: '/token-scopes', name: 'Scopes', description: 'Scopes of tokens' },
  {
    prefix: '/token-management/',
    name: 'Token management',
    description: 'Tokens of all users, for administrators',
  },
  {
    prefix: '/workspace-conf',
    name: 'Workspace settings',
    description: 'Settings that administrators change at run time',
  },
  { prefix: '/audit', name: 'Audit log', description: 'Recorded changes' },
  { prefix: '/workspace/', name: 'Workspace', description: 'Notebooks and files of the workspace' },
  { prefix: '/managed_fs/', name: 'Managed file system', description: 'Files of jobs' },
  {
    prefix: '/fs/',
    name: 'Volumes',
    description: 'Files of jobs by the path at which hosted workspaces mount them',
  },
  {
    prefix: '/notification-destinations',
    name: 'Notification destinations',
    description: 'Receivers of notifications',
  },
  { prefix: '/notifications/', name: 'Notifications', description: 'Deliveries of notifications' },
  { prefix: '/preview/scim/', name: 'People', description: 'Users and service principals' },
  { prefix: '/clusters/', name: 'Clusters', description: 'Clusters and their events' },
  { prefix: '/instance-pools/', name: 'Instance pools', description: 'Node pools of clusters' },
  { prefix: '/policies/', name: 'Cluster policies', description: 'Default values of clusters' },
  { prefix: '/libraries/', name: 'Libraries', description: 'Libraries of clusters' },
  {
    prefix: '/pipelines',
    name: 'Pipelines',
    description: 'Declarative pipelines, their updates and their event logs',
  },
  { prefix: '/nodes', name: 'Nodes', description: 'Engine nodes of the workspace' },
  { prefix: '/modern/dashboards', name: 'Dashboards', description: 'Dashboards of the new format' },
  { prefix: '/preview/sql/dashboards', name: 'Classic dashboards', description: 'Dashboards to migrate' },
];

/** Returns all sections in the order of the reference. */
export function listSections(): { name: string; description: string }[] {
  const jobSections = apiVersions
    .toReversed()
    .map((version) => ({
      name: `${jobsSection.name} ${version}`,
      description: `${jobsSection.description}: ${versionDescriptions[version]}`,
    }));
  return [...jobSections, ...sectionDefinitions.map(({ name, description }) => ({ name, description }))];
}

/** Returns the section of an operation; undefined for an operation outside of all groups. */
export function sectionOf(path: string, version: ApiVersion): string | undefined {
  if (path.startsWith(jobsSection.prefix)) return `${jobsSection.name} ${version}`;
  return sectionDefinitions.find(({ prefix }) => canonicalPath(path).startsWith(prefix))?.name;
}
