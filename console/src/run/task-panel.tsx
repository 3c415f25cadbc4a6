/** Panel of an attempt: state, settings and output. */
import type { Run, TaskRun } from '../api/documents.ts';
import { computeLabel, toText, taskSummaryOf } from '../job/task-summary.ts';
import { DescriptionList, type DescriptionItem } from '../parts/description-list.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { Duration, Timestamp } from '../parts/time.tsx';
import { linkTo } from '../route.ts';
import { isActive, stateCodeOf, stateLabelOf } from '../state-labels.ts';
import { formatDuration } from '../time-format.ts';
import { ExplanationView, withoutRepeats } from './explanation-view.tsx';
import { NotebookFrame } from './notebook-frame.tsx';
import { TaskOutput } from './task-output.tsx';

/** @param run its message and explanation, which the page already shows */
export function TaskPanel({ task, run }: { readonly task: TaskRun; readonly run: Run }) {
  const { state, explanation } = task;
  const added = withoutRepeats(explanation, run.explanation);
  const summary = taskSummaryOf(task);
  return (
    <section className="panel" aria-labelledby="task-title">
      <h2 id="task-title">
        {task.task_key} <span className="number">attempt {task.attempt_number + 1}</span>{' '}
        <StateBadge state={state} />
      </h2>
      <DescriptionList
        facts={[
          ['State', <code key="state">{stateCodeOf(state)}</code>],
          [
            'Message',
            explanation !== undefined || state.state_message === run.state.state_message
              ? undefined
              : state.state_message,
          ],
          [summary.kindLabel, <code key="target">{summary.target}</code>],
          ['Cluster', <ClusterLink key="cluster" task={task} />],
          ['Started', <Timestamp key="start" at={task.start_time} over={!isActive(state)} />],
          ['Duration', <Duration key="duration" from={task.start_time} to={task.end_time} />],
          [
            'Time breakdown',
            isActive(state) || task.start_time === 0
              ? undefined
              : `setup ${formatDuration(task.setup_duration)}, execution ${formatDuration(task.execution_duration)}, cleanup ${formatDuration(task.cleanup_duration)}`,
          ],
          ['Run if', task.run_if === undefined || task.run_if === 'ALL_SUCCESS' ? undefined : task.run_if],
          ['Task run id', task.run_id],
          ...listTaskParameters(summary.settings),
        ]}
      />
      {added !== undefined && (
        <ExplanationView explanation={added} run={run} tone={stateLabelOf(state).tone} />
      )}
      <TaskOutput task={task} />
      {summary.kind === 'notebook_task' && <NotebookFrame task={task} />}
    </section>
  );
}

/** Shows the cluster of the task: its page when there is one. */
function ClusterLink({ task }: { readonly task: TaskRun }) {
  const id = task.cluster_instance?.cluster_id;
  return id === undefined ? computeLabel(task) : <a href={linkTo.cluster(id)}>{id}</a>;
}

/** Lists the parameters of the task. */
function listTaskParameters(body: Readonly<Record<string, unknown>>): DescriptionItem[] {
  return ['parameters', 'base_parameters'].flatMap((name): DescriptionItem[] => {
    const text = toText(body[name]);
    return text === '' || text === '{}' ? [] : [[name.replace('_', ' '), <code key={name}>{text}</code>]];
  });
}
