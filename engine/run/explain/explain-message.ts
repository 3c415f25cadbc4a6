/** Explains failures that come with a complete sentence: rules on the sentence give code and next step. */
import { isBuiltIn } from '../../job/task-kinds.ts';
import { findErrorCause, moreMemoryText, rerunText, type Cause } from './explain-error.ts';
import type { Failure, FailureContext } from './failure.ts';
import { again, type MessageRule } from './message-rule.ts';
import { pipelineRules } from './pipeline-rules.ts';

const rules: readonly MessageRule[] = [
  {
    pattern: /^The Spark driver of cluster \S+ was lost/,
    code: 'CLUSTER',
    nextStep: again('Read the log of the driver in the directory of the cluster'),
  },
  {
    pattern: /^The Spark driver of the cluster did not start/,
    code: 'CLUSTER',
    nextStep: again('Correct spark_conf, the libraries or the master of the cluster'),
  },
  {
    pattern: /^Spark needs |^PySpark \S+ could not be installed|^SPARK_HOME is /,
    code: 'CLUSTER',
    nextStep: '',
  },
  { pattern: /^The disk of .* is full/, code: 'STORAGE', nextStep: 'Free space, then repair the run.' },
  {
    pattern: /^The specified pipeline \S+ was not found/,
    code: 'CONFIGURATION',
    nextStep: again('Correct pipeline_task.pipeline_id'),
  },
  {
    pattern: /\bENOSPC\b|No space left on device/,
    code: 'STORAGE',
    nextStep: 'Free space on the disk of the service, then repair the run.',
  },
  {
    pattern: /\bEROFS\b|\bEIO\b|\bEMFILE\b|\bEDQUOT\b/,
    code: 'STORAGE',
    nextStep: 'Check the disk and the limits of the service, then repair the run.',
  },
  {
    pattern: /^Workload failed/,
    code: 'USER_CODE',
    nextStep: again('Read the output of the task, correct its code'),
  },
  { pattern: /^Notebook .* was not found/s, code: 'CONFIGURATION', nextStep: '' },
  { pattern: /^File .* was not found/s, code: 'CONFIGURATION', nextStep: '' },
  { pattern: /was not found on (?:this machine|PATH=)/, code: 'CLUSTER', nextStep: '' },
  { pattern: /^No configured plugin provides/, code: 'PLUGIN', nextStep: '' },
  {
    pattern: /^The runner of \w+ failed: /,
    code: 'PLUGIN',
    nextStep: again("Tell the plugin's author, or correct the task"),
  },
  {
    pattern: /^The runner of \w+ returned|is no outcome|not an outcome/,
    code: 'PLUGIN',
    nextStep: again("Tell the plugin's author"),
  },
  {
    pattern: /^The thread of the \w+ runner died/,
    code: 'PLUGIN',
    nextStep: again("The plugin ended its thread: tell the plugin's author"),
  },
  {
    pattern: /has no value|\{\{.*\}\}/s,
    code: 'CONFIGURATION',
    nextStep: again('Correct the reference, or set the value in the task that it names'),
  },
  {
    pattern: /^Cluster \S+ does not exist/,
    code: 'CLUSTER',
    nextStep: again('List the clusters with GET clusters/list, correct existing_cluster_id'),
  },
  {
    pattern: /^The cluster is in Terminated state/,
    code: 'CLUSTER',
    nextStep: again('Start the cluster, or use new_cluster'),
  },
  {
    pattern: /^The cluster's |^The policy .* names the pool|^Cluster validation error: Validation failed/,
    code: 'CLUSTER',
    nextStep: again('Correct the cluster of the task'),
  },
  { pattern: /^Cluster \S+ was restarted$/, code: 'CLUSTER', nextStep: again('Wait until the cluster runs') },
  { pattern: /was removed\.?$/, code: 'CLUSTER', nextStep: again('Use another cluster') },
  {
    pattern: /log .*(?:larger|more) than|exceeded .* log|wrote (?:so )?much|flood/i,
    code: 'RESOURCE_LIMIT',
    nextStep: again('Write less to stdout and stderr, or raise RUNYARD_LOG_BYTES_MAX'),
  },
  { pattern: /out of memory|Out of Memory/, code: 'RESOURCE_LIMIT', nextStep: moreMemoryText },
  {
    pattern:
      /is gone without an exit code|disappeared without an exit code|ended before it was started completely/,
    code: 'INTERNAL',
    nextStep: ({ isMultiTask }) =>
      `${isMultiTask ? 'Repair the run' : 'Start the run again'}; set max_retries to retry automatically.`,
  },
  {
    pattern: /would start itself|nested \d+ deep/,
    code: 'CONFIGURATION',
    nextStep: again('Remove one of these run_job_tasks'),
  },
  {
    pattern: /could not be started: |may not run job/,
    code: 'CHILD_RUN',
    nextStep: again('Correct job_id of run_job_task, or the job that it names'),
  },
  {
    pattern: /was deleted before it was over/,
    code: 'CHILD_RUN',
    nextStep: (c) => `${rerunText(c).replace(/^./, (x) => x.toUpperCase())}.`,
  },
];

/** Explains a failure by its sentence. */
export function explainMessage(
  { message, lost = false, origin, at, rowsQuery }: Extract<Failure, { kind: 'message' }>,
  context: FailureContext,
): Cause {
  const isPipeline = context.taskKind === 'pipeline_task';
  for (const { pattern, code, nextStep } of isPipeline ? [...pipelineRules, ...rules] : rules) {
    const match = pattern.exec(message);
    if (match === null) continue;
    if (nextStep === '') return { code, ...splitRemedy(message, context) };
    return { code, nextStep: typeof nextStep === 'string' ? nextStep : nextStep(context, match) };
  }
  if (lost)
    return {
      code: 'INTERNAL',
      nextStep: `Look for run ${context.runId} in the log of the service, then ${rerunText(context)}.`,
    };
  const known = findErrorCause({ kind: 'error', error: message, at, rowsQuery }, context);
  if (known !== undefined) return known;
  if (origin === 'user code')
    return {
      code: 'USER_CODE',
      nextStep: `Correct the ${isPipeline ? 'query or its input' : 'code there'}, then ${rerunText(context)}.`,
    };
  return context.taskKind === '' || isBuiltIn(context.taskKind)
    ? { code: 'CONFIGURATION', nextStep: `Correct the task, then ${rerunText(context)}.` }
    : {
        code: 'USER_CODE',
        nextStep: `Correct what the plugin ${context.taskKind} reports, then ${rerunText(context)}.`,
      };
}

/** Splits a sentence from the remedy that follows it. */
function splitRemedy(message: string, context: FailureContext): Pick<Cause, 'cause' | 'nextStep'> {
  const [, cause = message, remedy = ''] = /^(.*?)\. ([A-Z].*)$/s.exec(message) ?? [];
  return { cause, nextStep: remedy === '' ? `Correct the task, then ${rerunText(context)}.` : remedy };
}
