/** Tests of housekeeping: each job removes what is older than its retention, and nothing else. */
import { existsSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHousekeeping, type Housekeeping } from '../../../cli/housekeeping/housekeeping.ts';
import type { Log } from '../../../engine/ports/log.ts';
import { eventually } from '../../harness/eventually.ts';
import { startTestService, type TestService } from '../../harness/test-service.ts';

let runyard: TestService;
beforeAll(async () => {
  runyard = await startTestService();
  await runyard.putFile('/ok.py', 'print("ok")\n');
});
afterAll(() => runyard.stop());

const day = 24 * 60 * 60 * 1_000;
const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Starts housekeeping with its first round at once. */
function startRound(log: Log = silentLog): Promise<Housekeeping> {
  return startHousekeeping(
    {
      address: runyard.database.address,
      dataDirectory: runyard.dataDirectory,
      retentionMs: 60 * day,
      deliveryRetentionMs: 30 * day,
      auditRetentionMs: 400 * day,
      libraryRetentionMs: 30 * day,
    },
    log,
    1,
  );
}

test('spec 8: runs that ended over 60 days ago are removed with their files; a long run that ended later stays', async () => {
  const submit = async (): Promise<number> => {
    const { run_id } = await runyard.callOk('POST', '2.1/jobs/runs/submit', {
      tasks: [
        { task_key: 'a', existing_cluster_id: 'c', spark_python_task: { python_file: 'managed_fs:/ok.py' } },
      ],
    });
    await runyard.waitForRunEnd(run_id);
    return run_id;
  };
  const [old, young, long] = [await submit(), await submit(), await submit()];
  const [attempt] = (await runyard.callOk('GET', '2.1/jobs/runs/get', { run_id: old })).tasks;
  const directory = join(runyard.dataDirectory, 'runs', String(attempt.run_id));
  expect(existsSync(directory)).toBe(true);
  await runyard.database.db
    .updateTable('runs')
    .set((run) => ({ start_time: run('start_time', '-', 61 * day) }))
    .where('run_id', 'in', [old, long])
    .execute();
  await runyard.database.db
    .updateTable('runs')
    .set((run) => ({
      running_time: run('start_time', '+', 1),
      terminating_time: run('start_time', '+', 1),
      end_time: run('start_time', '+', 1),
    }))
    .where('run_id', '=', old)
    .execute();
  const ended = (cluster_id: string, terminated_time: number | null) => ({
    cluster_id,
    kind: 'ALL_PURPOSE' as const,
    state: terminated_time === null ? ('RUNNING' as const) : ('TERMINATED' as const),
    job_run_id: null,
    cluster_key: null,
    spec: '{}',
    creator: null,
    spark_context_id: null,
    created_time: 1,
    started_time: 1,
    terminated_time,
    termination_reason: null,
    termination_parameters: null,
    starting_node: null,
    last_used_time: null,
  });
  await runyard.database.db
    .insertInto('clusters')
    .values([
      ended('old', Date.now() - 61 * day),
      ended('young', Date.now() - 59 * day),
      ended('alive', null),
    ])
    .execute();
  await runyard.database.db
    .insertInto('cluster_events')
    .values(
      [1, Date.now()].map((time) => ({ cluster_id: 'alive', time, type: 'RUNNING' as const, details: '{}' })),
    )
    .execute();
  const failures: unknown[] = [];
  const log = {
    info: () => undefined,
    warn: (facts: object) => failures.push(facts),
    error: (facts: object) => failures.push(facts),
  };
  const housekeeping = await startRound(log);
  const eventsLeft = async () =>
    (
      await runyard.database.db
        .selectFrom('cluster_events')
        .select('time')
        .where('cluster_id', '=', 'alive')
        .execute()
    ).length;
  await eventually(async () => !existsSync(directory) && (await eventsLeft()) <= 1, {
    until: (isRemoved) => isRemoved,
  });
  await housekeeping.stop();
  const clusters = await runyard.database.db
    .selectFrom('clusters')
    .select('cluster_id')
    .where('created_time', '=', 1)
    .orderBy('cluster_id')
    .execute();
  expect(clusters.map((row) => row.cluster_id)).toEqual(['alive', 'young']);
  expect(failures).toEqual([]);
  expect(await runyard.call('GET', '2.1/jobs/runs/get', { run_id: old })).toMatchObject({ status: 400 });
  for (const kept of [young, long])
    expect((await runyard.waitForRunEnd(kept)).state.result_state).toBe('SUCCESS');
});

test('deliveries older than 30 days are removed with their attempts and mails; younger and pending ones stay', async () => {
  const { db } = runyard.database;
  const now = Date.now();
  const deliver = async (age: number, state: 'delivered' | 'pending'): Promise<string> => {
    const { outbox_event_id } = await db
      .insertInto('outbox')
      .values({
        event: 'on_start',
        channel: 'email',
        recipient: 'a@x',
        job_id: 1,
        run_id: null,
        task_key: null,
        created_time: now - age * day,
        facts: '{}',
        dispatched_time: now,
      })
      .returning('outbox_event_id')
      .executeTakeFirstOrThrow();
    const { delivery_id } = await db
      .insertInto('deliveries')
      .values({
        outbox_event_id,
        event: 'on_start',
        channel: 'email',
        queue_key: 'email',
        ordering_key: String(outbox_event_id),
        destination_id: null,
        address: 'a@x',
        job_id: 1,
        job_run_id: null,
        run_id: null,
        task_key: null,
        created_time: now - age * day,
        facts: '{}',
        message: null,
        state,
        round_start_time: null,
        next_attempt_time: state === 'pending' ? now + day : null,
        claimed_by: null,
      })
      .returning('delivery_id')
      .executeTakeFirstOrThrow();
    await db
      .insertInto('delivery_attempts')
      .values({ delivery_id, number: 1, time: 1, duration_ms: 1, status: null, answer: null, error: null })
      .execute();
    await mkdir(join(runyard.dataDirectory, 'mail'), { recursive: true });
    await writeFile(join(runyard.dataDirectory, 'mail', `${delivery_id}.eml`), 'mail');
    return delivery_id;
  };
  const [old, waiting, young] = [
    await deliver(31, 'delivered'),
    await deliver(31, 'pending'),
    await deliver(29, 'delivered'),
  ];
  const housekeeping = await startRound();
  // The job removes outbox events last.
  await eventually(() => db.selectFrom('outbox').select('outbox_event_id').execute(), {
    until: ({ length }) => length <= 1,
  });
  await housekeeping.stop();
  const left = await db.selectFrom('deliveries').select('delivery_id').execute();
  expect(left.map((row) => row.delivery_id).toSorted()).toEqual([waiting, young].toSorted());
  expect(await db.selectFrom('delivery_attempts').selectAll().execute()).toHaveLength(2);
  expect(
    [old, waiting, young].map((id) => existsSync(join(runyard.dataDirectory, 'mail', `${id}.eml`))),
  ).toEqual([false, true, true]);
});

test('spec 5.2: tokens unused for 90 days are revoked, and audit events older than 400 days are removed', async () => {
  const { db } = runyard.database;
  const { token_info: info } = await runyard.callOk('POST', '2.0/token/create', { comment: 'forgotten' });
  const now = Date.now();
  await db
    .updateTable('tokens')
    .set({ created_time: now - 91 * day, expiry_time: now + day })
    .where('token_id', '=', info.token_id)
    .execute();
  const event = {
    user_name: 'ann',
    token_id: 'x',
    source_ip: '',
    action: 'POST /x',
    resource: '',
    status: 200,
    before: null,
    after: null,
  };
  await db
    .insertInto('audit_events')
    .values([
      { ...event, time: now - 401 * day },
      { ...event, time: now - 399 * day },
    ])
    .execute();
  const housekeeping = await startRound();
  const findEventsOfAnn = () =>
    db.selectFrom('audit_events').select('time').where('user_name', '=', 'ann').execute();
  // The job removes audit events last.
  await eventually(async () => expect(await findEventsOfAnn()).toEqual([{ time: now - 399 * day }]));
  await housekeeping.stop();
  expect(
    (await runyard.callOk('GET', '2.0/token/list')).token_infos.map(
      (token: { token_id: string }) => token.token_id,
    ),
  ).not.toContain(info.token_id);
});

test('libraries and objects unused for 30 days are removed from the cache; those of a cluster stay', async () => {
  const {
    database: { db },
    dataDirectory,
  } = runyard;
  const entry = async (path: string, age: number): Promise<string> => {
    const directory = join(dataDirectory, path);
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'file'), 'x');
    const time = Date.now() / 1_000 - age * 86_400;
    await utimes(directory, time, time);
    return directory;
  };
  const old = [
    await entry('libraries/python/old', 31),
    await entry('libraries/tries/old', 31),
    await entry('objects/old', 31),
  ];
  const kept = [
    await entry('libraries/python/young', 29),
    await entry('libraries/files/used', 31),
    await entry('libraries/maven/old', 31),
  ];
  await db
    .insertInto('clusters')
    .values({
      cluster_id: 'has',
      kind: 'ALL_PURPOSE',
      state: 'RUNNING',
      job_run_id: null,
      cluster_key: null,
      spec: '{}',
      spark_context_id: '1',
      created_time: 1,
      started_time: 1,
      terminated_time: null,
      termination_reason: null,
    })
    .execute();
  const paths = { classPath: [join(kept[1] ?? '', 'file')], pythonPath: [], binPath: [] };
  await db
    .insertInto('cluster_environments')
    .values({
      cluster_id: 'has',
      version: 1,
      spark_context_id: '1',
      installed: '[]',
      paths: JSON.stringify(paths),
    })
    .execute();
  const housekeeping = await startRound();
  await eventually(() => old.filter((directory) => existsSync(directory)), {
    until: ({ length }) => length === 0,
  });
  await housekeeping.stop();
  expect(kept.map((directory) => existsSync(directory))).toEqual([true, true, true]);
});
