/** Task runs in responses of the API versions. */
import { describe, expect, test } from 'vitest';
import { toTaskRunView } from '../../../api/views/task-run-view.ts';
import { face, facts, multi, notebook } from './run-view-fixtures.ts';

describe('spec 4.1.7: a task run requested by its own id', () => {
  test('in 2.0 is a single-task run with the id of its run', () => {
    const [, first] = multi.tasks;
    expect(first && toTaskRunView(multi, first, face('2.0'))).toMatchObject({
      ...facts,
      run_id: 901,
      job_run_id: 900,
      parent_run_id: 900,
      task_key: 'b',
      original_attempt_run_id: 901,
      format: 'SINGLE_TASK',
      run_page_url: 'http://h/?o=1#job/41/run/901',
      task: { notebook_task: notebook },
      cluster_spec: { existing_cluster_id: 'c-1' },
      execution_duration: 4_000,
      tasks: undefined,
    });
  });

  test('in 2.1 and later contains one entry in tasks and no run_duration', () => {
    const [, first] = multi.tasks;
    const shown = first && toTaskRunView(multi, first, face('2.1'));
    expect(shown).toMatchObject({ format: 'MULTI_TASK', tasks: [{ run_id: 901, task_key: 'b' }] });
    expect(shown).not.toHaveProperty('run_duration');
  });

  test('of a later attempt is a retry of the first attempt', () => {
    const retried = multi.tasks[2];
    expect(retried && toTaskRunView(multi, retried, face('2.1'))).toMatchObject({
      run_id: 902,
      attempt_number: 1,
      trigger: 'RETRY',
      original_attempt_run_id: 901,
    });
  });
});
