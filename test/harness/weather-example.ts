/** Uploads the weather example and creates its job over HTTP, as the demo does. */
import { readFileSync } from 'node:fs';
import type { ApiClient } from './api-client.ts';

const file = (name: string): string =>
  readFileSync(new URL(`../../examples/weather/${name}`, import.meta.url), 'utf8');

/** Creates the job and returns its id. */
export async function createWeatherJob(client: ApiClient): Promise<number> {
  await client.putFile('/weather/seattle-weather.csv', file('seattle-weather.csv'));
  await client.putFile('/weather/ingest.py', file('ingest.py'));
  for (const name of ['temperature', 'rain', 'report']) {
    await client.callOk('POST', '2.0/workspace/import', {
      path: `/weather/${name}`,
      language: 'PYTHON',
      format: 'SOURCE',
      overwrite: true,
      content: Buffer.from(file(`${name}.py`)).toString('base64'),
    });
  }
  const settings: object = JSON.parse(file('job.json'));
  return (await client.callOk('POST', '2.1/jobs/create', settings)).job_id;
}
