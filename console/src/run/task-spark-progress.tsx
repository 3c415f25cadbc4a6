/** Progress of Spark of a task run: stages and tasks while it runs. */
import type { RunOutput } from '../api/documents.ts';
import { progressText } from '../cluster/spark-progress.ts';

export function TaskSparkProgress({ output }: { readonly output: RunOutput }) {
  const { spark_progress: progress } = output;
  if (progress === undefined || progress.num_jobs === 0) return null;
  const { num_tasks: all, num_completed_tasks: done, active_stages: active } = progress;
  return (
    <section aria-label="Spark progress">
      <h3>Spark</h3>
      <p>
        <progress max={Math.max(1, all)} value={done} aria-label="Completed tasks of Spark" />{' '}
        {progressText(progress)}
      </p>
      {active.length > 0 && (
        <ul>
          {active.map((stage) => (
            <li key={stage.stage_id}>
              Stage {stage.stage_id}, {stage.name}: {stage.num_completed_tasks} of {stage.num_tasks} tasks
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
