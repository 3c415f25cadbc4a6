/** Service and requests of the pipeline tests. */
import { afterAll, beforeAll } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { pipelinePath, putWorkspaceFile } from '../harness/pipelines.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';

export let runyard: TestService;
export const endless =
  'CREATE MATERIALIZED VIEW heavy AS SELECT count(*) AS n FROM range(100000000) a, range(100000000) b WHERE a.id % 7 = b.id % 11;';

/** Starts the service before the tests of the calling file and stops it after them. */
export function registerService(): void {
  beforeAll(async () => {
    runyard = await startTestService();
  });
  afterAll(() => runyard.stop());
}

/** Creates a pipeline with one definition file. */
export async function create(name: string, sql: string, more: object = {}): Promise<string> {
  await putWorkspaceFile(runyard, `/team/${name}/tables.sql`, sql);
  const { pipeline_id: id } = await runyard.callOk('POST', '2.0/pipelines', {
    name,
    libraries: [{ glob: { include: `/team/${name}/**` } }],
    ...more,
  });
  return id;
}

export const eventsOf = async (pipeline: string, filter = ''): Promise<ResponseBody[]> =>
  (await runyard.callOk('GET', pipelinePath(pipeline, '/events'), { filter, max_results: 0 })).events;
