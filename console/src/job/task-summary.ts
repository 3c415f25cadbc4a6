/** Summary of a task: kind, target and cluster. */
import type { TaskSettings } from '../api/documents.ts';

export interface TaskSummary {
  /** Name of the field, e.g. `notebook_task`; empty when there is none. */
  readonly kind: string;
  /** Display name of the kind. */
  readonly kindLabel: string;
  /** Path, class or id of the program. */
  readonly target: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Kind -> display name, and the field with the target. */
const summaryFieldsByKind: Readonly<Record<string, readonly [label: string, field: string]>> = {
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
  const [label, field] = summaryFieldsByKind[kind] ?? [kind, ''];
  return { kind, kindLabel: label, target: toText(body[field]), settings: body };
}

/** Returns the label of the cluster of a task. */
export function computeLabel(task: TaskSettings): string {
  if (task.job_cluster_key !== undefined) return `Job cluster: ${task.job_cluster_key}`;
  if (task.existing_cluster_id !== undefined) return `Existing cluster: ${task.existing_cluster_id}`;
  return task.new_cluster === undefined ? '-' : 'New cluster';
}

/** Converts a value to text; values other than strings become JSON. */
export function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value) && value.every((entry) => typeof entry === 'string')) return value.join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
