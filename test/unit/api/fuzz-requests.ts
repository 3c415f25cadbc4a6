/** Valid, mutated and hostile requests of every operation. */
import * as fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import type { ApiVersion } from '../../../engine/job/job-format.ts';
import { arbitraryFor, ordinaryText, type LikelyValues } from './fuzz-schema.ts';
import type { FuzzedService } from './fuzz-service.ts';
import { acceptedSettings, acceptedSubmission } from './fuzz-settings.ts';
import { mutatedBytes } from './fuzz-bytes.ts';
import { mutated, hostileText, hostileValue, jsonText } from './fuzz-values.ts';

const contentTypes = [
  'application/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-16',
  'multipart/form-data',
  'multipart/form-data; boundary=b',
  'multipart/form-data; boundary=',
  'application/octet-stream',
  ';;;',
  'a/b/c',
  '',
  'x'.repeat(300),
];

/** Generates a request for any operation of a service. */
export function arbitraryRequest(service: FuzzedService): fc.Arbitrary<InjectOptions> {
  const { knownIds, tokens } = service;
  const likely = likelyValuesOf(knownIds);
  const token = fc.oneof(
    ...tokens.map((value, index) => ({ weight: [6, 3, 1][index] ?? 1, arbitrary: fc.constant(value) })),
  );
  const all = service.operations.flatMap(({ method, path, versions, request }) =>
    versions.map((version) => {
      const special = acceptedInputs[path]?.(knownIds, version);
      const good =
        special === undefined
          ? arbitraryFor(request, likely)
          : fc.oneof(
              { weight: 3, arbitrary: special },
              { weight: 1, arbitrary: arbitraryFor(request, likely) },
            );
      return { method, url: `/api/${version}${path}`, sent: arbitraryRequestParts(method, good) };
    }),
  );
  return fc
    .constantFrom(...all)
    .chain(({ method, url, sent }) =>
      fc
        .record({ sent, id: arbitraryPathId(knownIds), path: arbitraryVolumePath, token })
        .map(({ sent: { query = '', headers, ...rest }, id, path, token: value }): InjectOptions => ({
          ...rest,
          method,
          url: `${url.replace(/:\w+(\*?)/, (_, isTail) => (isTail === '' ? id : path))}${query}`,
          headers: { authorization: `Bearer ${value}`, ...headers },
        })),
    );
}

/** Valid values for operations with rules beyond their schema. */
const acceptedInputs: Readonly<
  Record<string, (known: FuzzedService['knownIds'], version: ApiVersion) => fc.Arbitrary<unknown>>
> = {
  '/jobs/create': (_, version) => acceptedSettings(version),
  '/jobs/reset': ({ jobs }, version) =>
    fc.record({ job_id: knownId(jobs), new_settings: acceptedSettings(version) }),
  '/jobs/update': ({ jobs }) =>
    fc.record({
      job_id: knownId(jobs),
      new_settings: fc.record({
        name: ordinaryText,
        tags: fc.dictionary(ordinaryText, ordinaryText, { maxKeys: 2 }),
        timeout_seconds: fc.nat(),
      }),
    }),
  '/jobs/run-now': ({ jobs }) =>
    fc.record({ job_id: knownId(jobs), idempotency_token: fc.constantFrom('', 't1', 't2') }),
  '/jobs/runs/submit': () => acceptedSubmission,
  '/jobs/runs/repair': ({ runs }) =>
    fc.record({ run_id: knownId(runs), rerun_all_failed_tasks: fc.constant(true) }),
  '/workspace/import': () =>
    fc.record({
      path: ordinaryText.map((name) => `/${name}`),
      content: fc.constant('cHJpbnQoMSk='),
      language: fc.constant('PYTHON'),
      overwrite: fc.boolean(),
    }),
};

/** Generates valid values, most of them mutated. */
function arbitraryRequestParts(method: string, good: fc.Arbitrary<unknown>): fc.Arbitrary<RequestParts> {
  const input = fc.oneof(
    { weight: 3, arbitrary: good },
    { weight: 5, arbitrary: mutated(good) },
    { weight: 2, arbitrary: mutated(mutated(good)) },
    { weight: 1, arbitrary: hostileValue },
  );
  if (method === 'HEAD') return toQuery(input);
  return method === 'GET'
    ? fc.oneof({ weight: 4, arbitrary: toQuery(input) }, { weight: 1, arbitrary: toBody(input) })
    : toBody(input);
}

interface RequestParts extends Pick<InjectOptions, 'payload' | 'headers'> {
  readonly query?: string;
}

function toBody(input: fc.Arbitrary<unknown>): fc.Arbitrary<RequestParts> {
  const json = input.map(jsonText);
  const payload = fc.oneof(
    { weight: 9, arbitrary: json.map((all) => Buffer.from(all)) },
    { weight: 1, arbitrary: mutatedBytes(json) },
  );
  const type = fc.oneof(
    { weight: 12, arbitrary: fc.constant('application/json') },
    { weight: 1, arbitrary: fc.constantFrom(...contentTypes) },
  );
  return fc
    .record({ payload, type })
    .map(({ payload: bytes, type: contentType }) => ({
      payload: bytes,
      headers: { 'content-type': contentType },
    }));
}

/** Encodes fields as query parameters, some of them twice or as invalid UTF-8. */
function toQuery(input: fc.Arbitrary<unknown>): fc.Arbitrary<RequestParts> {
  const extra = fc.oneof(
    { weight: 6, arbitrary: fc.constant('') },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.constantFrom('job_id', 'run_id', 'path', 'limit', 'name', '__proto__', 'constructor', 'a[b]'),
          fc.constantFrom(
            '%00',
            '%ff',
            '%ED%A0%80',
            '%',
            '%zz',
            '1',
            '',
            '+',
            '&',
            '=&=',
            '%2e%2e%2f',
            'a#b',
          ),
        )
        .map(([name, value]) => `&${name}=${value}`),
    },
  );
  return fc.record({ input, extra, twice: fc.nat(7) }).map(({ input: fields, extra: more, twice }) => {
    const pairs = Object.entries(
      typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? fields : { value: fields },
    ).map(
      ([name, value]) =>
        `${encodeForUrl(name)}=${encodeForUrl(typeof value === 'string' ? value : jsonText(value))}`,
    );
    return { query: `?${[...pairs, ...(twice === 0 ? pairs : [])].join('&')}${more}` };
  });
}

/** Encodes a value for a URL; lone surrogates are replaced and long values are cut. */
function encodeForUrl(value: string): string {
  return encodeURIComponent(value.toWellFormed().slice(0, 3_000).toWellFormed());
}

function arbitraryPathId(known: FuzzedService['knownIds']): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: knownId(known.jobs).map(String) },
    { weight: 1, arbitrary: hostileText.map(encodeForUrl) },
    { weight: 1, arbitrary: fc.constantFrom('0', '-1', '1.5', '%', '%00', '..', '9'.repeat(400), '1e3', '') },
  );
}

/** Path of a file or directory of fs/, without its first slash. */
const arbitraryVolumePath = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom('Volumes', 'Volumes/a', 'Volumes/a/b', 'dbfs/a', 'Volumes%2Fa%2Fc'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('dbfs', 'a', '', '%00', 'Volumes/%00', 'Volumes//a/', 'Volumes/%zz'),
  },
  { weight: 1, arbitrary: hostileText.map((text) => `Volumes/${encodeForUrl(text)}`) },
);

/** Generates one of the ids known at generation time, usually a recent one. */
function knownId(ids: readonly number[]): fc.Arbitrary<number> {
  return fc
    .oneof({ weight: 3, arbitrary: fc.nat(30) }, { weight: 1, arbitrary: fc.nat() })
    .map((back) => ids[ids.length - 1 - (back % ids.length)] ?? 1);
}

/** Ids of classic dashboards, some of them created by earlier requests. */
const dashboardIds = [1, 2, 3, 4].map((index) => `00000000-0000-4000-8000-00000000000${index}`);

function likelyValuesOf(known: FuzzedService['knownIds']): LikelyValues {
  const path = fc.constantFrom(
    '/',
    '/a',
    '/a/b',
    '/a/b/c',
    '/Workspace/a',
    'managed_fs:/a',
    'dbfs:/d/e',
    '/größe',
    '/nb.py',
  );
  const settings = fc.constantFrom('2.0', '2.1' as const).chain(acceptedSettings);
  return new Map<string, fc.Arbitrary<unknown>>([
    ['job_id', knownId(known.jobs)],
    ['run_id', knownId(known.runs)],
    ['path', path],
    ['new_settings', settings],
    ['tasks', settings.map((given) => new Map(Object.entries(given)).get('tasks') ?? [])],
    ['content', fc.constantFrom('', 'YQ==', 'cHJpbnQoMSk=', 'Y')],
    ['contents', fc.constantFrom('', 'YQ==', 'YQ=')],
    ['user_name', fc.constantFrom('ann', 'admin', 'nobody')],
    ['idempotency_token', fc.constantFrom('', 't1', 't2', 't3')],
    [
      'page_token',
      fc.constantFrom(
        '',
        'am9iczoxMA',
        'cnVuczoxNzcwMDAwMDAwMDAwOjEw',
        'cnVuczo5MDA3MTk5MjU0NzQwOTkzOjE',
        'cnVuczoxOi0y',
      ),
    ],
    ['source_dashboard_id', fc.constantFrom(...dashboardIds)],
    ['id', fc.constantFrom(...dashboardIds)],
    ['parent_path', fc.constantFrom('', '/', '/a', '/Workspace/a/')],
    ['rerun_tasks', fc.subarray(['a', 'b'])],
    ['existing_cluster_id', fc.constant('c')],
  ]);
}
