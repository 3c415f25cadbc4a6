/** What a task does, read from its settings. */
import type { TaskSettings } from '../api/documents.ts';

export interface TaskSummary {
  /** Name of the field, e.g. `notebook_task`; empty when there is none. */
  readonly kind: string;
  /** The kind in words. */
  readonly kindLabel: string;
  /** What is run: a path, a class, an id. */
  readonly target: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Kind -> its words, and the field that says what is run. */
const summaryFieldsByKind: Readonly<Record<string, readonly [words: string, field: string]>> = {
  notebook_task: ['Notebook', 'notebook_path'],
  spark_python_task: ['Python program', 'python_file'],
  spark_jar_task: ['Java program', 'main_class_name'],
  spark_submit_task: ['Submit', 'parameters'],
  pipeline_task: ['Pipeline', 'pipeline_id'],
  run_job_task: ['Job', 'job_id'],
};

export function taskSummaryOf(task: TaskSettings): TaskSummary {
  const found = Object.entries(task).find(([name, value]) => name.endsWith('_task') && isRecord(value));
  if (found === undefined) return { kind: '', kindLabel: 'No kind', target: '', settings: {} };
  const [kind, value] = found;
  const body = isRecord(value) ? value : {};
  const [words, field] = summaryFieldsByKind[kind] ?? [kind, ''];
  return { kind, kindLabel: words, target: toText(body[field]), settings: body };
}

/** Where a task runs, in words. */
export function computeLabel(task: TaskSettings): string {
  if (task.job_cluster_key !== undefined) return `Job cluster: ${task.job_cluster_key}`;
  if (task.existing_cluster_id !== undefined) return `Existing cluster: ${task.existing_cluster_id}`;
  return task.new_cluster === undefined ? '-' : 'New cluster';
}

/** Any value as text: what is no text comes as JSON. */
export function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value) && value.every((entry) => typeof entry === 'string')) return value.join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
