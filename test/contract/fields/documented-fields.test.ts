/**
 * Every documented field of the API works, is refused, or is stored only: the walk through the tables of
 * engine/job/fields. The list of fields comes from the types of the vendor's SDK.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '../../../api/http/operation.ts';
import { createCoreOperations } from '../../../api/http/operations.ts';
import { documentedFields } from '../../../engine/job/fields/documented-fields.ts';
import type { FieldSupport, FieldTable } from '../../../engine/job/fields/field-support.ts';
import { readSource } from '../../../docs/generator/source-text.ts';
import { addDestinations } from '../../harness/destinations.ts';
import { idFrom, startApiHarness, type ApiHarness } from '../../unit/api/api-harness.ts';
import { evidence } from './field-evidence.ts';
import { runNowSamples, submissionSamples } from './job-samples.ts';
import { places, type Place } from './places.ts';
import { newCluster, onCluster, pythonTask, type Sample } from './sample.ts';
import { listOwnFields } from './schema-fields.ts';
import { listSdkFields } from './sdk-objects.ts';

interface Row {
  /** `Object.field`. */
  readonly name: string;
  readonly object: string;
  readonly field: string;
  readonly support: FieldSupport;
}

const rows: readonly Row[] = Object.entries<FieldTable>(documentedFields).flatMap(([object, table]) =>
  Object.entries(table).map(([field, support]) => ({ name: `${object}.${field}`, object, field, support })),
);

let service: ApiHarness;
let operations: Operation[];
let jobId: number;
/** Number of jobs that were created, with the hidden ones of submissions. */
let createdJobs = 0;

const post: ApiHarness['post'] = async (path, body) => {
  const answer = await service.post(path, body);
  if (answer.status === 200 && /jobs\/(?:create|runs\/submit)$/.test(path)) createdJobs += 1;
  return answer;
};

beforeAll(async () => {
  service = await startApiHarness();
  operations = createCoreOperations(service.ports);
  const { db } = service.database;
  await addDestinations(db);
  await post('2.0/preview/scim/v2/Users', { userName: 'ben' });
  await post('2.0/preview/scim/v2/ServicePrincipals', { applicationId: 'robot' });
  const kinds = [
    { ...onCluster, notebook_task: { notebook_path: '/nb' } },
    { ...onCluster, spark_jar_task: { main_class_name: 'Main' } },
    { ...onCluster, ...pythonTask },
    { new_cluster: newCluster, spark_submit_task: {} },
    { pipeline_task: { pipeline_id: 'p' } },
  ];
  const job = {
    tasks: kinds.map((kind, index) => ({ task_key: `t${index}`, ...kind })),
    parameters: [{ name: 'city', default: '' }],
    max_concurrent_runs: 100,
  };
  jobId = idFrom(await post('2.1/jobs/create', job), 'job_id');
});
afterAll(() => service.close());

describe('the tables', () => {
  test('contain every field that the vendor documents', () => {
    const known = new Set(rows.map(({ name }) => name));
    expect([...listSdkFields()].filter((name) => !known.has(name))).toEqual([]);
  });

  test('contain every field of the schemas', () => {
    const known = new Set(rows.map(({ name }) => name));
    expect(listOwnFields(operations).filter((name) => !known.has(name))).toEqual([]);
  });

  test('contain no other fields, except those that a submission refuses', () => {
    const documented = new Set([...listSdkFields(), ...listOwnFields(operations)]);
    expect(rows.map(({ name }) => name).filter((name) => !documented.has(name))).toEqual([
      'SubmitSettings.schedule',
      'SubmitSettings.trigger',
      'SubmitSettings.continuous',
    ]);
  });

  test('name, for each field that works, a test that shows it', () => {
    const texts = new Map([...new Set(evidence.values())].map((file) => [file, readSource(`test/${file}`)]));
    const unproven = rows.filter(({ name, field, support }) => {
      const text = texts.get(evidence.get(name) ?? '');
      return support.state === 'works' && text?.includes(field) !== true;
    });
    expect(unproven.map(({ name }) => name)).toEqual([]);
  });
});

describe('settings', () => {
  const walked = rows.flatMap((row) => {
    const place = Object.entries<Place>(places).find(([object]) => object === row.object)?.[1];
    return place === undefined ? [] : [{ ...row, place }];
  });

  test.each(walked)('$name: $support.state', async ({ name, field, support, place }) => {
    const sample = sampleOf(place.samples, field, name);
    const send = (value: unknown) =>
      post('2.0/jobs/create', place.wrap({ ...place.base, ...sample.beside, [field]: value }));
    const refused = support.state === 'refused' ? sample.value : sample.refusedValue;
    if (refused !== undefined) await expectRefusal(() => send(refused), field);
    if (support.state === 'refused' || sample.needsConfiguration) return;
    const answer = await send(sample.value);
    expect(answer.body).toEqual({ job_id: expect.any(Number) });
    if (sample.hidden || place.path[0] === 'access_control_list') return;
    const job = await service.get('2.0/jobs/get', { job_id: String(idFrom(answer, 'job_id')) });
    const holder = place.path.reduce(read, job.body['settings']);
    expect(holder).toHaveProperty([field], sample.shown);
  });
});

describe('submissions', () => {
  test.each(rows.filter(({ object }) => object === 'SubmitSettings'))(
    '$name: $support.state',
    async ({ name, field, support }) => {
      const sample = sampleOf(submissionSamples, field, name);
      const send = (value: unknown) =>
        post('2.0/jobs/runs/submit', { ...onCluster, ...pythonTask, ...sample.beside, [field]: value });
      const refused = support.state === 'refused' ? sample.value : sample.refusedValue;
      if (refused !== undefined) await expectRefusal(() => send(refused), field);
      if (support.state === 'refused') return;
      const answer = await send(sample.value);
      expect(answer.body).toEqual({ run_id: expect.any(Number) });
      if (!sample.hidden)
        expect(await storedSettings(idFrom(answer, 'run_id'))).toHaveProperty([field], sample.shown);
    },
  );
});

describe('run-now', () => {
  test.each(rows.filter(({ object }) => object === 'RunNow'))(
    '$name: $support.state',
    async ({ name, field, support }) => {
      const { value, hidden } = sampleOf(runNowSamples, field, name);
      const send = () => post('2.0/jobs/run-now', { [field]: value, job_id: jobId });
      if (support.state === 'refused') return expectRefusal(send, field);
      const answer = await send();
      expect(answer.status).toBe(200);
      const run = await service.get('2.0/jobs/runs/get', { run_id: String(idFrom(answer, 'run_id')) });
      const parameters = run.body['overriding_parameters'] ?? {};
      if (field.endsWith('_params') || field === 'job_parameters')
        expect(parameters).toHaveProperty([field], value);
      if (hidden) expect(parameters).not.toHaveProperty([field]);
    },
  );
});

test.each(rows.filter(({ object, support }) => object === 'RepairRun' && support.state === 'refused'))(
  'a repair refuses $field',
  async ({ name, field }) => {
    const { value } = sampleOf(runNowSamples, field, name);
    await expectRefusal(() => post('2.0/jobs/runs/repair', { run_id: 1, [field]: value }), field);
  },
);

test('a repair accepts queue and use_original_settings', async () => {
  const tasks = [{ task_key: 'a', ...onCluster, ...pythonTask }];
  const runId = idFrom(await post('2.1/jobs/runs/submit', { tasks }), 'run_id');
  await service.endRun(runId, { result: 'FAILED' });
  const repair = {
    run_id: runId,
    rerun_all_failed_tasks: true,
    queue: { enabled: true },
    use_original_settings: true,
  };
  expect((await post('2.1/jobs/runs/repair', repair)).body).toEqual({ repair_id: expect.any(Number) });
});

test('empty values of refused fields count as absent', async () => {
  const empty = {
    ...onCluster,
    ...pythonTask,
    git_source: {},
    environments: [],
    environment_key: '',
    continuous: {},
    disabled: false,
    run_as: {},
    email_notifications: { on_streaming_backlog_exceeded: [] },
    webhook_notifications: { on_streaming_backlog_exceeded: [] },
  };
  expect((await post('2.0/jobs/create', empty)).status).toBe(200);
  const parameters = { job_id: jobId, only: [], python_named_params: {}, sql_params: {}, dbt_commands: [] };
  expect((await post('2.0/jobs/run-now', parameters)).status).toBe(200);
});

test('refused requests stored nothing', async () => {
  const [jobs] = await service.rowCounts();
  expect(jobs).toBe(createdJobs);
});

/** Expects an error that names the field. */
async function expectRefusal(send: () => ReturnType<ApiHarness['post']>, field: string): Promise<void> {
  const { status, body } = await send();
  expect([status, body['error_code']], JSON.stringify(body)).toEqual([400, 'INVALID_PARAMETER_VALUE']);
  expect(body['message']).toContain(field);
}

async function storedSettings(runId: number): Promise<unknown> {
  const { settings } = await service.database.db
    .selectFrom('runs')
    .select('settings')
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow();
  return settings;
}

function sampleOf(samples: Readonly<Record<string, Sample>>, field: string, name: string): Sample {
  const found = samples[field];
  if (found === undefined) throw new Error(`There is no sample of ${name}.`);
  return found;
}

function read(value: unknown, step: string | number): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
}
