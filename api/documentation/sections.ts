/**
 * The sections of the description, in its order: one for each group of operations, and one for each version
 * where there are several.
 */
import { canonicalPath } from '../../engine/validation/aliases.ts';
import type { ApiVersion } from '../../engine/job/job-format.ts';
import { apiVersions } from '../http/api-versions.ts';

interface SectionDefinition {
  /** What the paths of its operations begin with. */
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
  { prefix: '/permissions/', name: 'Permissions', description: 'Who may do what with jobs' },
  { prefix: '/token/', name: 'Tokens', description: 'Personal access tokens' },
  { prefix: '/token-scopes', name: 'Scopes', description: 'What tokens can be good for' },
  {
    prefix: '/token-management/',
    name: 'Tokens of everybody',
    description: 'What administrators do with tokens',
  },
  {
    prefix: '/workspace-conf',
    name: 'Workspace settings',
    description: 'What administrators set while the service runs',
  },
  { prefix: '/audit', name: 'Audit log', description: 'Who did what' },
  { prefix: '/workspace/', name: 'Workspace', description: 'Notebooks and files of the workspace' },
  { prefix: '/managed_fs/', name: 'Managed file system', description: 'Files of jobs' },
  {
    prefix: '/notification-destinations',
    name: 'Notification destinations',
    description: 'Where notices go',
  },
  { prefix: '/notifications/', name: 'Notifications', description: 'What became of notices' },
  { prefix: '/preview/scim/', name: 'People', description: 'Who calls, users and service principals' },
  { prefix: '/clusters/', name: 'Clusters', description: 'Clusters and what happened to them' },
  { prefix: '/instance-pools/', name: 'Instance pools', description: 'Where clusters take their nodes' },
  {
    prefix: '/policies/',
    name: 'Cluster policies',
    description: 'What clusters get that do not say otherwise',
  },
  { prefix: '/libraries/', name: 'Libraries', description: 'Libraries of clusters' },
  {
    prefix: '/pipelines',
    name: 'Pipelines',
    description: 'Declarative pipelines, their updates and their event logs',
  },
  { prefix: '/nodes', name: 'Nodes', description: 'The engines that share the workspace' },
  { prefix: '/modern/dashboards', name: 'Dashboards', description: 'Dashboards of the newer format' },
  { prefix: '/preview/sql/dashboards', name: 'Classic dashboards', description: 'Dashboards to be migrated' },
];

/** The sections with what they are about. */
export function listSections(): { name: string; description: string }[] {
  const ofJobs = apiVersions
    .toReversed()
    .map((version) => ({
      name: `${jobsSection.name} ${version}`,
      description: `${jobsSection.description}: ${versionDescriptions[version]}`,
    }));
  return [...ofJobs, ...sectionDefinitions.map(({ name, description }) => ({ name, description }))];
}

/** The section of an operation; undefined outside of every group. */
export function sectionOf(path: string, version: ApiVersion): string | undefined {
  if (path.startsWith(jobsSection.prefix)) return `${jobsSection.name} ${version}`;
  return sectionDefinitions.find(({ prefix }) => canonicalPath(path).startsWith(prefix))?.name;
}
