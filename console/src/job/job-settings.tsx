/** Settings of a job: overview, tasks, parameters, clusters, and the complete JSON. */
import type { ReactNode } from 'react';
import type { JobSettings, TaskSettings } from '../api/documents.ts';
import { DataTable, type Column } from '../parts/data-table.tsx';
import { DescriptionList, type DescriptionItem } from '../parts/description-list.tsx';
import { scheduleLabel } from './schedule-label.ts';
import { computeLabel, toText, taskSummaryOf } from './task-summary.ts';

/** Fields that other parts of the page show. */
const fieldsShownElsewhere: ReadonlySet<string> = new Set([
  'name',
  'description',
  'tasks',
  'job_clusters',
  'parameters',
  'schedule',
  'format',
  'max_concurrent_runs',
  'timeout_seconds',
  'queue',
  'tags',
]);

const taskColumns: readonly Column<TaskSettings>[] = [
  { name: 'Task', show: (task) => <strong>{task.task_key}</strong> },
  { name: 'Kind', show: (task) => taskSummaryOf(task).kindLabel },
  { name: 'Target', show: (task) => <code>{taskSummaryOf(task).target}</code> },
  { name: 'Depends on', show: (task) => <span className="long">{dependenciesLabel(task)}</span> },
  { name: 'Cluster', show: (task) => <span className="long">{computeLabel(task)}</span> },
  {
    name: 'Retries',
    show: (task) => (task.max_retries === -1 ? 'unlimited' : (task.max_retries ?? 0)),
    figures: true,
  },
  { name: 'Timeout', show: (task) => timeoutLabel(task.timeout_seconds), figures: true },
];

export function JobSettingsView({ settings }: { readonly settings: JobSettings }) {
  const { parameters = [], job_clusters: clusters = [], tasks = [] } = settings;
  return (
    <>
      <SettingsSection title="Settings">
        <DescriptionList facts={listSettings(settings)} />
      </SettingsSection>
      <SettingsSection title="Tasks">
        <DataTable label="Tasks" columns={taskColumns} rows={tasks} keyOf={(task) => task.task_key} />
      </SettingsSection>
      {parameters.length > 0 && (
        <SettingsSection title="Parameters">
          <DescriptionList
            facts={parameters.map(({ name, default: defaultValue }): DescriptionItem => [
              name,
              <code key={name}>{defaultValue === '' ? '(empty)' : defaultValue}</code>,
            ])}
          />
        </SettingsSection>
      )}
      {clusters.length > 0 && (
        <SettingsSection title="Job clusters">
          <DescriptionList
            facts={clusters.map(({ job_cluster_key: key, new_cluster: cluster }): DescriptionItem => [
              key,
              <code key={key}>{JSON.stringify(cluster)}</code>,
            ])}
          />
        </SettingsSection>
      )}
      <details>
        <summary>All settings as JSON</summary>
        <pre tabIndex={0} aria-label="Settings as JSON">
          {JSON.stringify(settings, null, 2)}
        </pre>
      </details>
    </>
  );
}

function SettingsSection({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function listSettings(settings: JobSettings): DescriptionItem[] {
  const rest = Object.entries(settings).filter(
    ([name, value]) => !fieldsShownElsewhere.has(name) && !['', '{}', '[]'].includes(toText(value)),
  );
  return [
    ['Schedule', scheduleLabel(settings)],
    ['Max concurrent runs', concurrencyLabel(settings)],
    ['Timeout', timeoutLabel(settings.timeout_seconds)],
    [
      'Tags',
      Object.entries(settings.tags ?? {})
        .map(([name, value]) => `${name}: ${value}`)
        .join(', '),
    ],
    ...rest.map(([name, value]): DescriptionItem => [name, <code key={name}>{toText(value)}</code>]),
  ];
}

function concurrencyLabel({ max_concurrent_runs: maximum = 1, queue }: JobSettings): string {
  return `${maximum}; extra runs ${queue?.enabled === true ? 'wait in the queue' : 'are skipped'}`;
}

function dependenciesLabel({ depends_on: dependencies = [] }: TaskSettings): string {
  return dependencies.length === 0 ? '-' : dependencies.map((dependency) => dependency.task_key).join(', ');
}

function timeoutLabel(seconds = 0): string {
  return seconds === 0 ? 'none' : `${seconds} s`;
}
