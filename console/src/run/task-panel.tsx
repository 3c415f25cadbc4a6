/** One attempt of a task: how it stands, what it was to do, and what came of it. */
import type { TaskRun } from '../api/documents.ts';
import { computeWords, textOf, workOf } from '../job/task-work.ts';
import { Facts, type Fact } from '../parts/facts.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { Elapsed, Instant } from '../parts/time.tsx';
import { codeOf, isActive } from '../states.ts';
import { duration } from '../times.ts';
import { NotebookFrame } from './notebook-frame.tsx';
import { TaskOutput } from './task-output.tsx';

/** @param runMessage the message of the run, which stands above already */
export function TaskPanel({ task, runMessage }: { readonly task: TaskRun; readonly runMessage: string }) {
  const { state } = task;
  const work = workOf(task);
  return (
    <section className="panel" aria-labelledby="task-title">
      <h2 id="task-title">
        {task.task_key} <span className="number">attempt {task.attempt_number + 1}</span>{' '}
        <StateBadge state={state} />
      </h2>
      <Facts
        facts={[
          ['State', <code key="state">{codeOf(state)}</code>],
          ['Message', state.state_message === runMessage ? undefined : state.state_message],
          [work.words, <code key="what">{work.what}</code>],
          ['Cluster', task.cluster_instance?.cluster_id ?? computeWords(task)],
          ['Started', <Instant key="start" at={task.start_time} over={!isActive(state)} />],
          ['Duration', <Elapsed key="duration" from={task.start_time} to={task.end_time} />],
          [
            'Made of',
            isActive(state) || task.start_time === 0
              ? undefined
              : `setup ${duration(task.setup_duration)}, work ${duration(task.execution_duration)}, cleanup ${duration(task.cleanup_duration)}`,
          ],
          ['Runs when', task.run_if === undefined || task.run_if === 'ALL_SUCCESS' ? undefined : task.run_if],
          ['Task run id', task.run_id],
          ...bodyFacts(work.body),
        ]}
      />
      <TaskOutput task={task} />
      {work.kind === 'notebook_task' && <NotebookFrame task={task} />}
    </section>
  );
}

/** The rest of what the task was told; the field that names what is run is shown already. */
function bodyFacts(body: Readonly<Record<string, unknown>>): Fact[] {
  return ['parameters', 'base_parameters'].flatMap((name): Fact[] => {
    const text = textOf(body[name]);
    return text === '' || text === '{}' ? [] : [[name.replace('_', ' '), <code key={name}>{text}</code>]];
  });
}
