/** Requests of the limit tests. */
import { knownDestinations } from '../../harness/destinations.ts';
import { idFrom, type ApiResponse, type ApiHarness } from '../../unit/api/api-harness.ts';

const notebook = { notebook_path: '/nb' };

/** Returns a job with this number of on_start destinations. */
export const telling = (count: number) => ({
  ...single,
  webhook_notifications: { on_start: knownDestinations.slice(0, count).map((id) => ({ id })) },
});

export const single = { existing_cluster_id: 'c', notebook_task: notebook, max_concurrent_runs: 9 };

export const task = (task_key: string) => ({ task_key, existing_cluster_id: 'c', notebook_task: notebook });

export const jar = (task_key: string) => ({
  task_key,
  existing_cluster_id: 'c',
  spark_jar_task: { main_class_name: 'A' },
});

const cluster = { num_workers: 1, spark_version: 'v', node_type_id: 's' };

export const shared = (job_cluster_key: string) => ({ job_cluster_key, new_cluster: cluster });

export type Ask = (service: ApiHarness) => Promise<ApiResponse>;

export const create =
  (settings: object, version = '2.0'): Ask =>
  (runyard) =>
    runyard.post(`${version}/jobs/create`, settings);

export const submit =
  (settings: object): Ask =>
  (runyard) =>
    runyard.post('2.1/jobs/runs/submit', settings);

export const runNow =
  (settings: object, more: object): Ask =>
  async (runyard) =>
    runyard.post('2.1/jobs/run-now', {
      job_id: idFrom(await runyard.post('2.0/jobs/create', settings), 'job_id'),
      ...more,
    });

export const disk = (boot_disk_size: number) =>
  create({ notebook_task: notebook, new_cluster: { ...cluster, cloud_attributes: { boot_disk_size } } });
