/** The settings of a job, to be read: facts, tasks, clusters; and as the JSON that they are. */
import type { ReactNode } from 'react';
import type { JobSettings, TaskSettings } from '../api/documents.ts';
import { DataTable, type Column } from '../parts/data-table.tsx';
import { Facts, type Fact } from '../parts/facts.tsx';
import { scheduleWords } from './schedule-words.ts';
import { computeWords, textOf, workOf } from './task-work.ts';

/** Fields that have a place of their own on the page. */
const shownElsewhere: ReadonlySet<string> = new Set([
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
  { name: 'Kind', show: (task) => workOf(task).words },
  { name: 'Runs', show: (task) => <code>{workOf(task).what}</code> },
  { name: 'After', show: (task) => <span className="long">{dependencyWords(task)}</span> },
  { name: 'On', show: (task) => <span className="long">{computeWords(task)}</span> },
  {
    name: 'Retries',
    show: (task) => (task.max_retries === -1 ? 'without end' : (task.max_retries ?? 0)),
    figures: true,
  },
  { name: 'Timeout', show: (task) => timeoutWords(task.timeout_seconds), figures: true },
];

export function JobSettingsView({ settings }: { readonly settings: JobSettings }) {
  const { parameters = [], job_clusters: clusters = [], tasks = [] } = settings;
  return (
    <>
      <Part title="Settings">
        <Facts facts={factsOf(settings)} />
      </Part>
      <Part title="Tasks">
        <DataTable label="Tasks" columns={taskColumns} rows={tasks} keyOf={(task) => task.task_key} />
      </Part>
      {parameters.length > 0 && (
        <Part title="Parameters">
          <Facts
            facts={parameters.map(({ name, default: usual }): Fact => [
              name,
              <code key={name}>{usual === '' ? '(empty)' : usual}</code>,
            ])}
          />
        </Part>
      )}
      {clusters.length > 0 && (
        <Part title="Shared clusters">
          <Facts
            facts={clusters.map(({ job_cluster_key: key, new_cluster: cluster }): Fact => [
              key,
              <code key={key}>{JSON.stringify(cluster)}</code>,
            ])}
          />
        </Part>
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

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function factsOf(settings: JobSettings): Fact[] {
  const rest = Object.entries(settings).filter(
    ([name, value]) => !shownElsewhere.has(name) && !['', '{}', '[]'].includes(textOf(value)),
  );
  return [
    ['Schedule', scheduleWords(settings)],
    ['Runs at once', settings.max_concurrent_runs ?? 1],
    ['Over that', settings.queue?.enabled === true ? 'runs wait' : 'runs are skipped'],
    ['Timeout', timeoutWords(settings.timeout_seconds)],
    [
      'Tags',
      Object.entries(settings.tags ?? {})
        .map(([name, value]) => `${name}: ${value}`)
        .join(', '),
    ],
    ...rest.map(([name, value]): Fact => [name, <code key={name}>{textOf(value)}</code>]),
  ];
}

function dependencyWords({ depends_on: before = [] }: TaskSettings): string {
  return before.length === 0 ? 'at once' : before.map((one) => one.task_key).join(', ');
}

function timeoutWords(seconds = 0): string {
  return seconds === 0 ? 'none' : `${seconds} s`;
}
