/** Facts about an attempt that its explanation needs: its file, cluster, node and limits. */
import { resolveShape } from '../cluster/inventory.ts';
import { findLargerNodeType, nodeTypeOf } from '../cluster/node-types.ts';
import type { TaskSettings } from '../job/settings.ts';
import { taskKindOf } from '../job/task-kinds.ts';
import { maskOfSettings, maskTexts } from '../run/masking.ts';
import type { AttemptEnd } from '../run/attempt-end.ts';
import { clusterChoiceOf } from '../run/cluster-choice.ts';
import { explainFailure } from '../run/explain/explain-failure.ts';
import { retriesText, withRetries } from '../run/explain/explain-retries.ts';
import type { Explained } from '../run/explain/explanation.ts';
import type { Failure, FailureContext } from '../run/explain/failure.ts';
import type { ResultState } from '../run/states.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { isSingleTask, type RunExecution } from './run-execution.ts';
import type { TaskExecution } from './task-execution.ts';

export type ExplainPorts = Pick<CoordinatorContext, 'compute' | 'hostName' | 'findFullDisk'>;

/** Explains the end of an attempt; undefined for a success. Secrets of its clusters are masked. */
export function explainAttempt(
  c: ExplainPorts,
  execution: RunExecution,
  task: TaskExecution,
  end: AttemptEnd,
): Explained | undefined {
  const { failure } = end;
  if (failure === undefined) return undefined;
  const explained = explainFailure(failure, failureContextOf(c, execution, task));
  const result = end.kind === 'break' ? 'FAILED' : end.result;
  return maskTexts(
    maskOfSettings(execution.run.settings),
    withRetries(explained, retriesTextOf(execution, task, result, failure)),
  );
}

/** Returns the number of attempts, for the last of several. */
function retriesTextOf(
  execution: RunExecution,
  { settings, retries }: TaskExecution,
  result: ResultState,
  failure: Failure,
): string | undefined {
  const single = isSingleTask(execution);
  const policy = single ? execution.run.settings : settings;
  const before = single ? execution.run.attempt : retries;
  const { max_retries: maxRetries = 0, retry_on_timeout: onTimeout = false } = policy;
  if (result === 'CANCELED' || (failure.kind === 'stop' && failure.stop.reason === 'cancel'))
    return undefined;
  const isRetried = result !== 'TIMEDOUT' || onTimeout;
  if (isRetried && (maxRetries < 0 || before < maxRetries)) return undefined;
  return retriesText(before + 1, maxRetries);
}

/** Returns the context of an attempt. */
function failureContextOf(
  { compute, hostName, findFullDisk }: ExplainPorts,
  execution: RunExecution,
  { settings, taskRun }: TaskExecution,
): FailureContext {
  const { run } = execution;
  const choice = clusterChoiceOf(settings, run.settings);
  const spec = 'spec' in choice ? choice.spec : {};
  const shape = resolveShape(spec, compute.inventory);
  const nodeTypeId = 'error' in shape ? undefined : shape.driverNodeTypeId || undefined;
  const nodeType = nodeTypeOf(nodeTypeId, compute.inventory.nodeTypes);
  return {
    taskKey: settings.task_key,
    runId: taskRun.runId,
    attempt: isSingleTask(execution) ? run.attempt : taskRun.attempt,
    isMultiTask: !isSingleTask(execution),
    taskKind: taskKindOf(settings) ?? '',
    file: fileOf(settings),
    clusterId: taskRun.clusterId,
    clusterPath: spec.spark_env_vars?.['PATH'],
    nodeTypeId: nodeType === undefined ? undefined : nodeTypeId,
    memoryMb: nodeType?.memory_mb,
    largerNodeType:
      nodeType === undefined ? undefined : findLargerNodeType(nodeType, compute.inventory.nodeTypes),
    host: hostName ?? 'this machine',
    fullDisk: findFullDisk?.(),
  };
}

/** Returns the file, notebook, class or pipeline that a task names. */
function fileOf({
  spark_python_task: python,
  notebook_task: notebook,
  spark_jar_task: jar,
  pipeline_task: pipeline,
  spark_submit_task: submit,
}: TaskSettings): string | undefined {
  return (
    python?.python_file ??
    notebook?.notebook_path ??
    jar?.main_class_name ??
    pipeline?.pipeline_id ??
    submit?.parameters?.find((word) => /\.(?:py|jar)$/i.test(word) && /[:/]/.test(word))
  );
}
