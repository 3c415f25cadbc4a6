/** Jobs in responses of the API versions. */
import { expect, test } from 'vitest';
import { toJobView, toJobListView } from '../../../api/views/job-view.ts';
import type { JobSettings } from '../../../engine/job/settings.ts';
import type { Job } from '../../../engine/ports/jobs.ts';

const notebook = { notebook_path: '/Users/u/nb' };
const single: JobSettings = {
  name: 'one',
  existing_cluster_id: 'c-1',
  notebook_task: notebook,
  timeout_seconds: 60,
};
const multi: JobSettings = {
  name: 'many',
  tasks: [
    { task_key: 'a', existing_cluster_id: 'c-1', notebook_task: notebook },
    { task_key: 'b', run_job_task: { job_id: 3 } },
  ],
};

function job(settings: JobSettings): Job {
  return { jobId: 7, creatorUserName: 'a@x', createdTime: 1_770_000_000_000, version: '2.0', settings };
}

test('spec 2.1: a job contains its id, creator, run_as and creation time in every version', () => {
  for (const version of ['2.0', '2.1', '2.2'] as const) {
    expect(toJobView(job(single), version)).toMatchObject({
      job_id: 7,
      creator_user_name: 'a@x',
      run_as: 'a@x',
      run_as_user_name: 'a@x',
      created_time: 1_770_000_000_000,
    });
  }
});

test('spec 9.3: a single-task job in 2.0 is returned as written plus its format', () => {
  expect(toJobView(job(single), '2.0')).toMatchObject({ settings: { ...single, format: 'SINGLE_TASK' } });
  expect(Object.keys(Object(toJobView(job(single), '2.0')).settings).toSorted()).toEqual(
    [...Object.keys(single), 'format'].toSorted(),
  );
});

test.each(['2.1', '2.2'] as const)(
  'spec 9.2: a single-task job in %s is shown with one task, main',
  (version) => {
    const { settings } = Object(toJobView(job(single), version));
    expect(settings).toMatchObject({
      format: 'MULTI_TASK',
      name: 'one',
      tasks: [{ task_key: 'main', existing_cluster_id: 'c-1', notebook_task: notebook, timeout_seconds: 60 }],
    });
    expect(settings).not.toHaveProperty('notebook_task');
  },
);

test.each([
  ['2.0', single, false],
  ['2.1', single, false],
  ['2.0', multi, false],
  ['2.1', multi, false],
  ['2.2', multi, false],
] as const)('a listing in %s shows no tasks', (version, settings, shown) => {
  expect('tasks' in Object(toJobListView(job(settings), version)).settings).toBe(shown);
});
