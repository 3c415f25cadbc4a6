/**
 * Service, tasks and output of the tests of dynamic values.
 */
import { afterAll, beforeAll } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

export let runyard: TestService;
/** Starts the service before the tests of the calling file and stops it after them. */
export function registerService(): void {
  beforeAll(async () => {
    runyard = await startTestService();
    await runyard.putFile('/args.py', 'import json, sys\nprint(json.dumps(sys.argv[1:]))\n');
    await runyard.putNotebook('/widgets', [
      'import json\ndbutils.notebook.exit(json.dumps(dbutils.widgets.getAll(), sort_keys=True))',
    ]);
    await runyard.putNotebook('/load', [
      'dbutils.jobs.taskValues.set("rows", 12)\ndbutils.jobs.taskValues.set("city", "Zürich")\ndbutils.jobs.taskValues.set("parts", ["a", 1.0])',
    ]);
    await runyard.putNotebook('/sum', [
      'dbutils.jobs.taskValues.set("doubled", 2 * dbutils.jobs.taskValues.get("load", "rows"))',
      'dbutils.notebook.exit(dbutils.jobs.taskValues.get("load", "city"))',
    ]);
  });
  afterAll(() => runyard.stop());
}

export const on = { existing_cluster_id: 'c' };
export const after = (...keys: string[]) => ({ depends_on: keys.map((task_key) => ({ task_key })) });
export const notebook = (task_key: string, notebook_path: string, base_parameters = {}, more = {}) => ({
  task_key,
  ...on,
  notebook_task: { notebook_path, base_parameters },
  ...more,
});
export const python = (task_key: string, parameters: string[], more = {}) => ({
  task_key,
  ...on,
  spark_python_task: { python_file: 'managed_fs:/args.py', parameters },
  ...more,
});

export async function ran(settings: object, given: object = {}): Promise<ResponseBody> {
  const { job_id } = await runyard.callOk('POST', '2.1/jobs/create', settings);
  const { run_id } = await runyard.callOk('POST', '2.1/jobs/run-now', { job_id, ...given });
  return runyard.waitForRunEnd(run_id);
}

export const taskOf = (run: ResponseBody, key: string): ResponseBody =>
  run.tasks.find((one: ResponseBody) => one.task_key === key);
export const outputOf = (run: ResponseBody, key: string): Promise<ResponseBody> =>
  runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: taskOf(run, key).run_id });
export const widgetsOf = async (run: ResponseBody, key: string) =>
  JSON.parse((await outputOf(run, key)).notebook_output.result);
export const argumentsOf = async (run: ResponseBody, key: string) =>
  JSON.parse((await outputOf(run, key)).logs);
