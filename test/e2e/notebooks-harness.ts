/**
 * Service, notebooks and reports of the notebook tests.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { createConfig } from '../../cli/config.ts';
import { defaultLimits } from '../../engine/limits.ts';
import type { CellOutput, NotebookReport } from '../../engine/run/task-output.ts';
import type { ResponseBody } from '../harness/api-client.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { eventually } from '../harness/eventually.ts';

export let runyard: TestService;
export const depth = 3;
/** Starts the service before the tests of the calling file and stops it after them. */
export function registerService(): void {
  beforeAll(async () => {
    const { taskEnvironment } = createConfig({
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
    });
    // The tests of the driver cover IPython; here its start-up time would only slow the tests.
    runyard = await startTestService({
      limits: { ...defaultLimits, notebookRunDepth: depth },
      taskEnvironment: { ...taskEnvironment, RUNYARD_NOTEBOOK_SHELL: 'plain' },
    });
  });
  afterAll(() => runyard.stop());
}

export const text = (content: string): string => Buffer.from(content).toString('base64');

export async function submit(
  path: string,
  cells: readonly string[],
  more: object = {},
  base_parameters: Record<string, string> = {},
): Promise<number> {
  await runyard.putNotebook(path, cells);
  return (
    await runyard.callOk('POST', '2.0/jobs/runs/submit', {
      existing_cluster_id: 'c',
      notebook_task: { notebook_path: path, base_parameters },
      ...more,
    })
  ).run_id;
}

export const outputOf = (run_id: number): Promise<ResponseBody> =>
  runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id });
export const attempt = (runId: number, name: string): string =>
  join(runyard.dataDirectory, 'runs', String(runId), name);
export const reportOf = (runId: number): NotebookReport =>
  JSON.parse(readFileSync(attempt(runId, 'notebook.json'), 'utf8'));
export const logOf = (runId: number): string => readFileSync(attempt(runId, 'stdout'), 'utf8');
export const shown = (runId: number, cell: number): readonly CellOutput[] =>
  reportOf(runId).cells[cell - 1]?.outputs ?? [];
export const childrenOf = async (path: string): Promise<ResponseBody[]> =>
  (
    (await runyard.callOk('GET', '2.1/jobs/runs/list', { run_type: 'WORKFLOW_RUN', limit: 0 })).runs ?? []
  ).filter((run: ResponseBody) => run.run_name === path);

/** Waits until a child run of the notebook exists that `isReached` accepts, and returns it. */
export async function waitForChild(
  path: string,
  isReached: (child: ResponseBody) => boolean,
): Promise<ResponseBody> {
  return eventually(async () => (await childrenOf(path))[0], {
    until: (child) => child !== undefined && isReached(child),
  });
}

export const state = async (runId: number): Promise<ResponseBody> =>
  (await runyard.waitForRunEnd(runId)).state;
