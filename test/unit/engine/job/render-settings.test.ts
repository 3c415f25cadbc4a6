/** Rendering of settings: as written, with the documented additions. */
import { expect, test } from 'vitest';
import type { JobSettings } from '../../../../engine/job/settings.ts';
import { renderSettings } from '../../../../engine/job/render-settings.ts';
import { taskBodies, newCluster, singleTaskJob, sampleTask } from './sample-settings.ts';

const { name: _, ...unnamed } = singleTaskJob;

test('spec 9.3: 2.0 shows a single-task job exactly as written, with name and format', () => {
  const written = { ...unnamed, git_source: { git_url: 'u' }, x_unknown: [1, { a: null }] };
  expect(renderSettings(written, '2.0')).toEqual({ ...written, name: 'Untitled', format: 'SINGLE_TASK' });
});

test('spec 9.3: 2.0 shows a multi-task job as written, with name and format', () => {
  const tasks = [sampleTask('b', 'd', 'a'), sampleTask('a'), sampleTask('d')];
  expect(renderSettings({ tasks }, '2.0')).toEqual({ tasks, name: 'Untitled', format: 'MULTI_TASK' });
});

test.each(['2.1', '2.2'] as const)(
  'spec 9.2: %s shows a single-task job as one task with the defaults of that version',
  (version) => {
    expect(renderSettings({ ...unnamed, timeout_seconds: 5, max_retries: 1 }, version)).toEqual({
      name: 'Untitled',
      format: 'MULTI_TASK',
      email_notifications: {},
      webhook_notifications: {},
      timeout_seconds: 0,
      max_concurrent_runs: 1,
      tasks: [
        {
          task_key: 'main',
          email_notifications: {},
          run_if: 'ALL_SUCCESS',
          timeout_seconds: 5,
          max_retries: 1,
          new_cluster: newCluster,
          notebook_task: { ...taskBodies.notebook_task, source: 'WORKSPACE' },
        },
      ],
    });
  },
);

test('written values override the defaults, and dependencies are sorted', () => {
  const written = {
    name: 'n',
    max_concurrent_runs: 5,
    tasks: [{ ...sampleTask('c', 'b', 'a'), run_if: 'ALL_DONE' as const }],
    git_source: {},
  };
  const shown = renderSettings(written, '2.1');
  expect(shown).toMatchObject({
    max_concurrent_runs: 5,
    tasks: [{ run_if: 'ALL_DONE', depends_on: [{ task_key: 'a' }, { task_key: 'b' }] }],
  });
  expect(shown.tasks?.[0]?.notebook_task?.source).toBe('GIT');
  expect(written.tasks[0]?.depends_on[0]?.task_key).toBe('b');
});

test.each(['2.0', '2.1'] as const)(
  'spec 2.8: %s shows unsupported cluster features that were sent as off',
  (version) => {
    const sent = { ...newCluster, enable_elastic_disk: true, ssh_public_keys: ['k'], custom_tags: [] };
    const shown = { ...newCluster, enable_elastic_disk: false, ssh_public_keys: [], custom_tags: {} };
    const settings: JobSettings = {
      name: 'n',
      tasks: [{ ...sampleTask('a'), new_cluster: sent }],
      job_clusters: [{ job_cluster_key: 'k', new_cluster: sent }],
    };
    expect(renderSettings(settings, version)).toMatchObject({
      tasks: [{ new_cluster: shown }],
      job_clusters: [{ new_cluster: shown }],
    });
    expect(
      renderSettings({ ...singleTaskJob, new_cluster: { ...newCluster, custom_tags: { a: 'b' } } }, '2.0')
        .new_cluster,
    ).toEqual({ ...newCluster, custom_tags: { a: 'b' } });
  },
);

test('spec 2.9: health rules show the operator under both spellings', () => {
  for (const spelling of ['op', 'operator']) {
    const rule = { metric: 'RUN_DURATION_SECONDS' as const, [spelling]: 'GREATER_THAN', value: 5 };
    expect(renderSettings({ ...singleTaskJob, health: { rules: [rule] } }, '2.0').health).toEqual({
      rules: [{ metric: 'RUN_DURATION_SECONDS', op: 'GREATER_THAN', operator: 'GREATER_THAN', value: 5 }],
    });
  }
});
