/** Validation of a submit task beyond its schema (spec 2.7). */
import { invalid } from '../errors.ts';
import type { Library, NewCluster } from './cluster.ts';
import type { SparkSubmitTask } from './task-schemas.ts';
import { fieldPath, isNonEmpty } from '../validation/messages.ts';

/** Options that the service sets. */
const reserved = new Set(['--master', '--deploy-mode', '--executor-cores']);

/** The same options as properties. */
const reservedProperties = new Set(['spark.master', 'spark.submit.deployMode', 'spark.executor.cores']);

/** Options of the submit script without a value; a value follows every other option. */
export const submitFlags: ReadonlySet<string> = new Set([
  '--verbose',
  '-v',
  '--supervise',
  '--version',
  '--help',
  '-h',
  '--usage-error',
]);

/** Fields of a task that a submit task restricts. */
interface SubmitTaskHolder {
  readonly existing_cluster_id?: string;
  readonly job_cluster_key?: string;
  readonly libraries?: readonly Library[];
  readonly new_cluster?: NewCluster;
  readonly spark_submit_task?: SparkSubmitTask;
}

/**
 * Refuses a submit task on anything but a new cluster, with libraries or spark_conf, or with an option the
 * service sets.
 */
export function checkSubmitTask(path: string, task: SubmitTaskHolder): void {
  const where = path === '' ? 'spark_submit_task' : `${path}.spark_submit_task`;
  for (const choice of ['existing_cluster_id', 'job_cluster_key'] as const) {
    if (isNonEmpty(task[choice]))
      throw invalid(`${fieldPath(path, choice)} is given; ${where} runs only on a new_cluster.`);
  }
  if (isNonEmpty(task.libraries))
    throw invalid(
      `${fieldPath(path, 'libraries')} is given; ${where} takes libraries only as --jars, --py-files and --files in its parameters.`,
    );
  if (isNonEmpty(task.new_cluster?.spark_conf))
    throw invalid(
      `${fieldPath(path, 'new_cluster.spark_conf')} is given; ${where} takes configuration only as --conf in its parameters.`,
    );
  checkSubmitParameters(`${where}.parameters`, task.spark_submit_task?.parameters);
}

/**
 * Refuses the options --master, --deploy-mode and --executor-cores, also as properties of --conf. Arguments
 * after the application file belong to the application and are not checked.
 */
export function checkSubmitParameters(path: string, parameters: readonly string[] = []): void {
  for (let index = 0; index < parameters.length; index += 1) {
    const option = parameters[index] ?? '';
    if (!option.startsWith('-')) return;
    const name = option.split('=', 1)[0] ?? '';
    if (reserved.has(name))
      throw invalid(`${path}[${index}] is ${name}; it is set by the service and must not be given.`);
    const value = option.includes('=') ? option.slice(name.length + 1) : (parameters[index + 1] ?? '');
    if (!option.includes('=') && !submitFlags.has(name)) index += 1;
    const property = value.split('=', 1)[0]?.trim() ?? '';
    if ((name === '--conf' || name === '-c') && reservedProperties.has(property)) {
      throw invalid(`${path}[${index}] sets ${property}; it is set by the service and must not be given.`);
    }
  }
}
