/** Fuzzing of all operations: every response is valid, the service stays up, and errors change nothing. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiVersion } from '../../../engine/job/job-format.ts';
import { startTestService, type TestService } from '../../harness/test-service.ts';
import {
  sendBytes,
  incompleteRequests,
  unusualHttpRequests,
  sendOverHttp,
  mutatedRequests,
} from './fuzz-http.ts';
import { arbitraryRequest } from './fuzz-requests.ts';
import { assertValidResponse, startFuzzedService, type FuzzedService } from './fuzz-service.ts';
import { acceptedSettings } from './fuzz-settings.ts';
import { adminToken, idFrom, type ApiResponse } from './api-harness.ts';

/**
 * Factor of the number of generated cases. A failure prints the seed and path that replay it; without
 * `endOnFailure`, fast-check shrinks the failing case, which may take minutes.
 */
const times = 1;

const timeout = 120_000 * times;

let service: FuzzedService;
beforeAll(async () => {
  service = await startFuzzedService();
});
afterAll(() => service.close());

const send = (method: 'GET' | 'POST', path: string, payload?: object | string): Promise<ApiResponse> =>
  service.send({
    method,
    url: `/api/${path}`,
    headers: { authorization: `Bearer ${adminToken}` },
    ...(payload !== undefined && { payload }),
  });

test(
  'every operation returns a valid response to any request, and an error changes nothing',
  async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryRequest(service), async (request) => {
        await service.send(request);
      }),
      { numRuns: 900 * times, endOnFailure: true },
    );
    expect((await service.send({ url: '/healthz' })).status).toBe(200);
  },
  timeout,
);

const mega = 2 ** 20;
const small = '"existing_cluster_id":"c","notebook_task":{"notebook_path":"/a"}';
const many = (count: number, entry: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => entry(index)).join(',');

test.each<[string, string, number]>([
  ['a text', `{"description":"${'ü'.repeat(4.9 * mega)}",${small}}`, 200],
  [
    'a text outside ASCII in a field that allows only ASCII',
    `{"existing_cluster_id":"c","notebook_task":{"notebook_path":"/a","base_parameters":{"a":"${'ü'.repeat(4.9 * mega)}"}}}`,
    400,
  ],
  ['a name', `{"name":"${'x'.repeat(9.9 * mega)}",${small}}`, 400],
  [
    'a path',
    `{"existing_cluster_id":"c","notebook_task":{"notebook_path":"${'x'.repeat(9.9 * mega)}"}}`,
    400,
  ],
  ['an unknown enum value', `{"format":"${'x'.repeat(9.9 * mega)}",${small}}`, 400],
  ['a field name', `{"${'x'.repeat(9.9 * mega)}":1,${small}}`, 200],
  ['unknown fields', `{${many(50_000, (index) => `"max_retrys${index}":1`)},${small}}`, 200],
  ['unknown numbers', `{"x":[${many(4.9 * mega, () => '1')}],${small}}`, 200],
  ['unknown objects', `{"x":[${many(mega, (index) => `{"a":${index % 10}}`)}],${small}}`, 200],
  ['tasks', `{"tasks":[${many(200_000, (index) => `{"task_key":"t${index}"}`)}]}`, 400],
  [
    'dependencies',
    `{"tasks":[{"task_key":"a",${small}},{"task_key":"b",${small},"depends_on":[${many(400_000, () => '{"task_key":"a"}')}]}]}`,
    200,
  ],
  [
    'permissions',
    `{"access_control_list":[${many(150_000, (index) => `{"user_name":"u${index}","permission_level":"CAN_VIEW"}`)}],${small}}`,
    400,
  ],
  ['libraries', `{"libraries":[${many(500_000, () => '{"jar":"/a.jar"}')}],${small}}`, 200],
  ['addresses', `{"email_notifications":{"on_start":[${many(900_000, () => '"a@b.c"')}]},${small}}`, 200],
  ['tags', `{"tags":{${many(500_000, (index) => `"k${index}":"v"`)}},${small}}`, 200],
  [
    'parameters with references',
    `{"parameters":[${many(200_000, (index) => `{"name":"p${index}","default":"{{job.id}}"}`)}],${small}}`,
    400,
  ],
  [
    'incomplete references',
    `{"existing_cluster_id":"c","notebook_task":{"notebook_path":"/a","base_parameters":{"a":"${'{{job.'.repeat(1.5 * mega)}"}}}`,
    200,
  ],
  ['nesting', `{"x":${'['.repeat(4.9 * mega)}${']'.repeat(4.9 * mega)},${small}}`, 400],
])('10 MB of %s get a response within the test timeout', async (_, body, status) => {
  expect(Buffer.byteLength(body)).toBeLessThan(10 * mega);
  const answer = await send('POST', '2.0/jobs/create', body);
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status });
});

describe('settings returned by the service', () => {
  const versions = fc.constantFrom<ApiVersion>('2.0', '2.1', '2.2');
  const cases = versions.chain((version) =>
    fc.record({
      version: fc.constant(version),
      settings: acceptedSettings(version),
      readVersions: fc.constant(
        version === '2.0' ? (['2.0', '2.1', '2.2'] as const) : (['2.1', '2.2', '2.0'] as const),
      ),
    }),
  );
  const shown = async (version: ApiVersion, job: number): Promise<unknown> =>
    (await send('GET', `${version}/jobs/get?job_id=${job}`)).body['settings'];

  test(
    'are accepted and returned unchanged by create and reset, and an empty update changes nothing',
    async () => {
      await fc.assert(
        fc.asyncProperty(cases, async ({ version, settings, readVersions }) => {
          const created = await send('POST', `${version}/jobs/create`, settings);
          expect(created, JSON.stringify(created.body)).toMatchObject({ status: 200 });
          const job = idFrom(created, 'job_id');
          for (const readVersion of readVersions) {
            const got = await shown(readVersion, job);
            const again = idFrom(await send('POST', `${readVersion}/jobs/create`, Object(got)), 'job_id');
            expect(await shown(readVersion, again)).toEqual(got);
            const before = await Promise.all(readVersions.map((one) => shown(one, job)));
            for (const nothing of [{}, { new_settings: {} }, { new_settings: {}, fields_to_remove: [] }]) {
              expect(
                await send('POST', `${readVersion}/jobs/update`, { job_id: job, ...nothing }),
              ).toMatchObject({ status: 200 });
              expect(await Promise.all(readVersions.map((one) => shown(one, job)))).toEqual(before);
            }
            expect(
              await send('POST', `${readVersion}/jobs/reset`, { job_id: again, new_settings: got }),
            ).toMatchObject({ status: 200 });
            expect(await shown(readVersion, again)).toEqual(got);
          }
        }),
        { numRuns: 25 * times, endOnFailure: true },
      );
    },
    timeout,
  );
});

describe('over HTTP', () => {
  let remote: TestService;
  beforeAll(async () => {
    remote = await startTestService();
  });
  afterAll(() => remote.stop());
  const expectHealthy = async (): Promise<void> => {
    expect((await fetch(`${remote.url}/healthz`)).status).toBe(200);
  };

  test(
    'the service returns a valid response to any request',
    async () => {
      const knownIds = { jobs: [1], runs: [1] };
      const target = { ...service, knownIds, tokens: [remote.token] };
      await fc.assert(
        fc.asyncProperty(arbitraryRequest(target), async (request) => {
          const answer = await sendOverHttp(remote.url, request);
          if (request.method === 'HEAD') expect(answer.status).toBeLessThan(500);
          else assertValidResponse(answer);
          if (typeof answer.body['job_id'] === 'number') knownIds.jobs.push(answer.body['job_id']);
          if (typeof answer.body['run_id'] === 'number') knownIds.runs.push(answer.body['run_id']);
        }),
        { numRuns: 400 * times, endOnFailure: true },
      );
      await expectHealthy();
    },
    timeout,
  );

  test.each(unusualHttpRequests)('a request with %s gets its expected status', async (_, sent, status) => {
    expect(await sendBytes(remote.url, sent.replaceAll('TOKEN', remote.token))).toMatchObject({ status });
    await expectHealthy();
  });

  test.each(incompleteRequests)(
    'an incomplete request with %s gets its expected status',
    async (_, sent, status) => {
      expect(
        await sendBytes(remote.url, sent.replaceAll('TOKEN', remote.token), async () => undefined),
      ).toMatchObject({ status });
      await expectHealthy();
    },
  );

  test(
    'mutated HTTP requests get a valid response or none',
    async () => {
      await fc.assert(
        fc.asyncProperty(mutatedRequests(remote.token), async (bytes) => {
          await sendBytes(remote.url, bytes, expectHealthy);
        }),
        { numRuns: 400 * times, endOnFailure: true },
      );
      await expectHealthy();
    },
    timeout,
  );
});
