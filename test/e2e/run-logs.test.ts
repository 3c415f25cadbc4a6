/**
 * Logs of real tasks: paged, streamed, and in a bundle; also when they are long, hostile, or hold secrets.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { defaultLimits } from '../../engine/limits.ts';
import {
  collectEvents,
  downloadBundle,
  logTextOf,
  followLog,
  type LogEvent as Event,
} from '../harness/run-logs.ts';
import { startTestService, type TestService } from '../harness/test-service.ts';
import { eventually } from '../harness/eventually.ts';

const kib = 1_024;
let runyard: TestService;

beforeAll(async () => {
  runyard = await startTestService({ logBytesMax: 256 * kib });
  await runyard.putFile(
    '/script.py',
    'import os, subprocess, sys\nsys.exit(subprocess.call(["sh", "-c", sys.argv[1]], cwd=os.path.dirname(os.getcwd()), stdin=subprocess.DEVNULL))\n',
  );
});
afterAll(() => runyard.stop());

const secrets = { DB_PASSWORD: 'correct-horse', STAGE: 'test' };
const cluster = {
  spark_version: '16.4.x-scala2.12',
  node_type_id: 'standard-2',
  num_workers: 1,
  spark_env_vars: secrets,
};

/** Task that runs a shell script in the directory of its attempt. */
const shell = (taskKey: string, script: string, more: object = {}): object => ({
  task_key: taskKey,
  new_cluster: cluster,
  spark_python_task: { python_file: 'managed_fs:/script.py', parameters: [script] },
  ...more,
});

const submit = async (...tasks: object[]): Promise<number> =>
  (await runyard.callOk('POST', '2.1/jobs/runs/submit', { run_name: 'logs', tasks })).run_id;

/** Returns the id of the task run of the only task or of the named one. */
async function taskRun(runId: number, key?: string): Promise<number> {
  const { tasks } = await runyard.callOk('GET', '2.1/jobs/runs/get', { run_id: runId });
  return tasks.find((task: ResponseBody) => key === undefined || task.task_key === key).run_id;
}

/** Runs a script to its end and returns the id of its task run. */
async function after(script: string): Promise<number> {
  const runId = await submit(shell('main', script));
  await runyard.waitForRunEnd(runId);
  return taskRun(runId);
}

const logs = (input: object): Promise<ResponseBody> => runyard.callOk('GET', '2.1/jobs/runs/logs', input);
const open = (gate: string): Promise<void> => writeFile(join(runyard.dataDirectory, 'managed_fs', gate), '');
const atGate = (gate: string): string => `while [ ! -e "$RUNYARD_MANAGED_FS/${gate}" ]; do sleep 0.02; done`;

describe('paged logs', () => {
  test('pages are equal in every version and join to the complete log; the last page says so', async () => {
    const runId = await after('echo out; printf "\\033[31mred\\033[0m \\377\\n"; echo err >&2');
    const stdout = 'out\n\u001B[31mred\u001B[0m \uFFFD\n';
    for (const version of ['2.0', '2.1', '2.2']) {
      expect(await runyard.callOk('GET', `${version}/jobs/runs/logs`, { run_id: runId })).toEqual({
        run_id: runId,
        stream: 'stdout',
        offset: 0,
        next_offset: 19,
        size: 19,
        complete: true,
        content: stdout,
      });
    }
    expect(await logs({ run_id: runId, offset: 4, limit: 8 })).toMatchObject({
      offset: 4,
      next_offset: 12,
      complete: false,
      content: stdout.slice(4, 12),
    });
    expect(await logs({ run_id: runId, tail: 1 })).toMatchObject({ offset: 4, content: stdout.slice(4) });
    expect(await logs({ run_id: runId, stream: 'stderr' })).toMatchObject({
      stream: 'stderr',
      content: 'err\n',
      complete: true,
    });
  });

  test('a multi-task run is refused with the ids of its task runs, and invalid parameters are refused', async () => {
    const runId = await submit(
      shell('one', 'true'),
      shell('two', 'true', { depends_on: [{ task_key: 'one' }] }),
    );
    const { tasks } = await runyard.waitForRunEnd(runId);
    const [one, two] = tasks.map((task: ResponseBody) => task.run_id);
    for (const path of ['2.1/jobs/runs/logs', '2.1/jobs/runs/logs/stream']) {
      expect(await runyard.call('GET', path, { run_id: runId })).toEqual({
        status: 400,
        body: {
          error_code: 'INVALID_PARAMETER_VALUE',
          message: `Run ${runId} has several tasks, each with its own logs: use one of the task runs ${one} (one), ${two} (two).`,
        },
      });
      expect(await runyard.call('GET', path, { run_id: 4_711_000 })).toMatchObject({
        status: 400,
        body: { message: 'Run 4711000 does not exist.' },
      });
      expect(await runyard.call('GET', path, { run_id: one, stream: 'stdin' })).toMatchObject({
        status: 400,
      });
    }
    expect(
      await runyard.call('GET', '2.1/jobs/runs/logs', { run_id: one, tail: 3, offset: 0 }),
    ).toMatchObject({ status: 400, body: { message: expect.stringContaining('tail and offset') } });
    expect(await runyard.call('GET', '2.1/jobs/runs/logs', { run_id: one, limit: 2 ** 21 })).toMatchObject({
      status: 400,
    });
  });

  test.each([
    ['removed', 'echo gone; rm stdout'],
    [
      'a link to a file of the service',
      'rm stdout; ln -s "$(dirname "$(dirname "$PWD")")/bootstrap-token" stdout',
    ],
    ['a named pipe', 'rm stdout; mkfifo stdout'],
    ['a directory', 'rm stdout; mkdir stdout'],
  ])('is empty when the task has made of its file: %s', async (_fact, script) => {
    const runId = await after(script);
    expect(await logs({ run_id: runId })).toMatchObject({ content: '', size: 0, complete: true });
    expect((await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: runId })).logs).toBe('');
    const events = [];
    for await (const event of followLog(runyard, { run_id: runId })) events.push(event);
    expect(events.map(({ name }) => name)).toEqual(['end']);
  });
});

describe('streamed logs', () => {
  test('a stream waits for the task to start, sends lines as they are written, and ends with the state of the task', async () => {
    const runId = await submit(
      shell('first', atGate('a')),
      shell('then', `echo one; ${atGate('b')}; printf two; ${atGate('c')}; echo three; exit 3`, {
        depends_on: [{ task_key: 'first' }],
      }),
    );
    const then = await taskRun(runId, 'then');
    const events: Event[] = [];
    const following = followLog(runyard, { run_id: then });
    const first = following.next();
    await open('a');
    events.push((await first).value);
    expect(events[0]?.data).toEqual({ offset: 0, content: 'one\n' });
    await open('b');
    for await (const event of following) {
      events.push(event);
      if (logTextOf(events) === 'one\ntwo') await open('c');
    }
    expect(logTextOf(events)).toBe('one\ntwothree\n');
    expect(events.at(-1)).toMatchObject({
      id: 13,
      name: 'end',
      data: { offset: 13, state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' } },
    });
  }, 60_000);

  test('Last-Event-ID resumes a broken stream without a lost or repeated byte', async () => {
    const runId = await after('seq 1 20000');
    const whole = `${Array.from({ length: 20_000 }, (_, index) => index + 1).join('\n')}\n`;
    let text = '';
    let id = '0';
    for (let over = false; !over;) {
      const leaving = new AbortController();
      for await (const event of followLog(
        runyard,
        { run_id: runId },
        { 'last-event-id': id },
        leaving.signal,
      )) {
        id = String(event.id);
        text += event.data.content ?? '';
        over = event.name === 'end';
        if (!over) break;
      }
      leaving.abort();
    }
    expect(text).toBe(whole);
    expect(
      logTextOf(await collectEvents(followLog(runyard, { run_id: runId, offset: whole.length - 6 }))),
    ).toBe('20000\n');
    expect(logTextOf(await collectEvents(followLog(runyard, { run_id: runId, timeout_seconds: 0 })))).toBe(
      whole,
    );
  });

  test('timeout_seconds 0 returns the log so far and ends the stream', async () => {
    const runId = await submit(shell('main', `echo up; ${atGate('d')}`));
    const main = await taskRun(runId);
    const events = await eventually(
      () => collectEvents(followLog(runyard, { run_id: main, timeout_seconds: 0 })),
      { until: (all) => logTextOf(all) === 'up\n' },
    );
    expect(events.map(({ name }) => name)).toEqual(['log']);
    await open('d');
    await runyard.waitForRunEnd(runId);
  });

  test('a stream restarts at the beginning when the task truncates its log', async () => {
    const runId = await submit(
      shell('main', `echo a long first line; ${atGate('e')}; : > stdout; echo new; ${atGate('f')}`),
    );
    const events: Event[] = [];
    for await (const event of followLog(runyard, { run_id: await taskRun(runId) })) {
      events.push(event);
      if (events.length === 1) await open('e');
      if (logTextOf(events).endsWith('new\n')) await open('f');
    }
    expect(logTextOf(events)).toBe('a long first line\nnew\n');
    expect(events[1]?.data.offset).toBe(0);
  });

  test('a user over the limit of concurrent streams gets 429 until one stream ends', async () => {
    const small = await startTestService({ limits: { ...defaultLimits, logStreamsPerUser: 1 } });
    let runId = 0;
    try {
      await small.putFile(
        '/waits.py',
        'import os, time\nwhile not os.path.exists(os.environ["RUNYARD_MANAGED_FS"] + "/go"): time.sleep(0.02)\n',
      );
      ({ run_id: runId } = await small.callOk('POST', '2.0/jobs/runs/submit', {
        existing_cluster_id: 'c',
        spark_python_task: { python_file: 'managed_fs:/waits.py' },
      }));
      await small.waitForRun(runId, (run) => run.state.life_cycle_state === 'RUNNING');
      const ask = (signal?: AbortSignal) =>
        fetch(`${small.url}/api/2.0/jobs/runs/logs/stream?run_id=${runId}`, {
          headers: { authorization: `Bearer ${small.token}` },
          ...(signal !== undefined && { signal }),
        });
      const leaving = new AbortController();
      const first = await ask(leaving.signal);
      const second = await ask();
      expect([second.status, second.headers.get('retry-after'), (await second.json()).message]).toEqual([
        429,
        '5',
        expect.stringContaining('Too many open log streams (limit per user: 1)'),
      ]);
      leaving.abort();
      await first.text().catch(() => undefined);
      const again = await eventually(ask, { until: ({ status }) => status !== 429 });
      expect(again.status).toBe(200);
      // A stopping service ends the stream without the event that marks the end of the log.
      const [text] = await Promise.all([again.text(), small.service.stop()]);
      expect(text).not.toContain('event: end');
    } finally {
      // The task runs until this file exists.
      await writeFile(join(small.dataDirectory, 'managed_fs', 'go'), '');
      await eventually(
        async () =>
          await readFile(join(small.dataDirectory, 'runs', String(runId), 'exit'), 'utf8').catch(() => ''),
        { until: (value) => value !== '' },
      );
      await small.stop();
    }
  });
});

describe('secrets', () => {
  const script =
    'echo "password correct-horse, again correct-horse"; printf "corr"; sleep 0.3; echo "ect-horse"; printf "https://u:correct-horse@h/ " >&2; echo "STAGE=test" >&2; exit 4';

  test('are masked in pages, streams, output and bundle, also when written in two parts', async () => {
    const runId = await submit(shell('main', script));
    const main = await taskRun(runId);
    const events: Event[] = [];
    for await (const event of followLog(runyard, { run_id: main })) events.push(event);
    const shown = 'password ***, again ***\n***\n';
    expect(logTextOf(events)).toBe(shown);
    expect((await logs({ run_id: main })).content).toBe(shown);
    expect((await logs({ run_id: main, tail: 1 })).content).toBe('***\n');
    expect((await logs({ run_id: main, offset: 12, limit: 4 })).content).not.toMatch(/horse|corr/);
    const output = await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: main });
    expect(output.logs).toBe(`${shown}https://u:***@h/ STAGE=test\n`);
    const { text } = await downloadBundle(runyard, runId);
    expect(text).not.toContain('correct-horse');
    expect(text).toContain('"DB_PASSWORD": "***"');
    expect(text).toContain('"STAGE": "test"');
  });

  test('are masked in errors, traces, results and pages of notebooks', async () => {
    await runyard.putNotebook('/leaky', [
      'import os\nprint("cell says", os.environ["DB_PASSWORD"])',
      'raise ValueError("bad " + os.environ["DB_PASSWORD"])',
    ]);
    const { run_id: runId } = await runyard.callOk('POST', '2.0/jobs/runs/submit', {
      new_cluster: cluster,
      notebook_task: { notebook_path: '/leaky' },
    });
    await runyard.waitForRunEnd(runId);
    const output = await runyard.callOk('GET', '2.0/jobs/runs/get-output', { run_id: runId });
    expect(output.error).toContain('bad ***');
    expect(output.error_trace).not.toContain('correct-horse');
    const { views } = await runyard.callOk('GET', '2.0/jobs/runs/export', { run_id: runId });
    expect(views[0].content).toContain('cell says ***');
    expect(views[0].content).not.toContain('correct-horse');
    expect((await downloadBundle(runyard, runId)).files.get('tasks/main/attempt-0/notebook.html')).toContain(
      'cell says ***',
    );
    // The child notebook runs on the same cluster, which its own settings do not name.
    await runyard.putNotebook('/calls', ['dbutils.notebook.run("/leaky", 60)']);
    const { run_id: calls } = await runyard.callOk('POST', '2.0/jobs/runs/submit', {
      new_cluster: cluster,
      notebook_task: { notebook_path: '/calls' },
    });
    expect((await runyard.waitForRunEnd(calls)).state.result_state).toBe('FAILED');
    const {
      runs: [called],
    } = await runyard.callOk('GET', '2.0/jobs/runs/list', { run_type: 'WORKFLOW_RUN' });
    expect(
      (await runyard.callOk('GET', '2.0/jobs/runs/get-output', { run_id: called.run_id })).error,
    ).toContain('bad ***');
  });

  test('are masked in mails', async () => {
    const { job_id: jobId } = await runyard.callOk('POST', '2.1/jobs/create', {
      name: 'mailed',
      email_notifications: { on_failure: ['ops@example.org'] },
      tasks: [shell('main', script)],
    });
    const { run_id: runId } = await runyard.callOk('POST', '2.1/jobs/run-now', { job_id: jobId });
    await runyard.waitForRunEnd(runId);
    const directory = join(runyard.dataDirectory, 'mail');
    const name = await eventually(
      async () => (await readdir(directory)).find((file) => file.endsWith('.eml')) ?? '',
      { until: Boolean },
    );
    const mail = await readFile(join(directory, name), 'utf8');
    expect(mail).toContain('password ***');
    expect(mail).not.toContain('correct-horse');
  });
});

describe('a log over RUNYARD_LOG_BYTES_MAX', () => {
  test('does not end its task; every reader shows its beginning and its end and names the missing range', async () => {
    const runId = await submit(
      shell(
        'main',
        'seq 1 400000; echo last words; seq 1 100000 >&2; echo "Traceback (most recent call last):" >&2; echo "ValueError: at the very end" >&2; exit 1',
      ),
    );
    const run = await runyard.waitForRunEnd(runId);
    expect(run.tasks[0].state.result_state).toBe('FAILED');
    const main = await taskRun(runId);
    const mark = /\n\[runyard: [\d.]+ [KM]B left out here; RUNYARD_LOG_BYTES_MAX is 256 KB\]\n/;
    const { content, next_offset: next, size, complete } = await logs({ run_id: main });
    expect([content.startsWith('1\n2\n3\n'), next < size, complete]).toEqual([true, true, false]);
    let text = '';
    for (
      let page = { complete: false, next_offset: 0 } as ResponseBody;
      page.complete !== true;
      text += page.content
    )
      page = await logs({ run_id: main, offset: page.next_offset, limit: 60_000 });
    expect(text).toMatch(mark);
    expect(text.endsWith('399999\n400000\nlast words\n')).toBe(true);
    expect(text.length).toBeLessThan(257 * kib);
    const events: Event[] = [];
    for await (const event of followLog(runyard, { run_id: main })) events.push(event);
    expect(logTextOf(events)).toBe(text);
    expect((await downloadBundle(runyard, runId)).files.get('tasks/main/attempt-0/stdout')).toBe(text);
    const output = await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: main });
    expect(output.logs.startsWith(text)).toBe(true);
    expect(output.logs_truncated).toBe(false);
  });
});

describe('the bundle of a run', () => {
  test('holds settings, states, events, and the logs and output of every attempt, and names missing files', async () => {
    await runyard.putNotebook('/result', ['print("in a cell")', 'dbutils.notebook.exit("42")']);
    const runId = await submit(
      shell('flaky', 'echo try; exit 5', { max_retries: 1, min_retry_interval_millis: 0 }),
      { task_key: 'nb', new_cluster: cluster, notebook_task: { notebook_path: '/result' } },
      shell('never', 'true', { depends_on: [{ task_key: 'flaky' }] }),
    );
    await runyard.waitForRunEnd(runId);
    const { files } = await downloadBundle(runyard, await taskRun(runId, 'nb'));
    expect([...files.keys()].toSorted()).toEqual([
      'events.json',
      'run.json',
      'tasks/flaky/attempt-0/output.json',
      'tasks/flaky/attempt-0/stderr',
      'tasks/flaky/attempt-0/stdout',
      'tasks/flaky/attempt-1/output.json',
      'tasks/flaky/attempt-1/stderr',
      'tasks/flaky/attempt-1/stdout',
      'tasks/nb/attempt-0/notebook.html',
      'tasks/nb/attempt-0/output.json',
      'tasks/nb/attempt-0/stderr',
      'tasks/nb/attempt-0/stdout',
      'tasks/never/attempt-0/missing.txt',
    ]);
    const read = (name: string): ResponseBody => JSON.parse(files.get(name) ?? '');
    expect(read('run.json')).toMatchObject({
      run_id: runId,
      state: { result_state: 'FAILED' },
      settings: { tasks: [{ task_key: 'flaky' }, {}, {}] },
      repair_history: [{ type: 'ORIGINAL' }],
    });
    expect(read('events.json').events.map(({ event }: ResponseBody) => event)).toEqual(
      expect.arrayContaining(['STARTED', 'RUNNING', 'TERMINATING', 'TERMINATED', 'SKIPPED']),
    );
    expect(files.get('tasks/flaky/attempt-1/stdout')).toBe('try\n');
    expect(read('tasks/flaky/attempt-0/output.json').error).toContain('exit code 5');
    expect(read('tasks/nb/attempt-0/output.json')).toMatchObject({ result: '42' });
    expect(files.get('tasks/nb/attempt-0/notebook.html')).toContain('in a cell');
    expect(files.get('tasks/never/attempt-0/missing.txt')).toMatch(
      /^stdout: the file does not exist\. The attempt never started: Upstream task flaky failed/,
    );
  });

  test('of an active run holds its current content', async () => {
    const runId = await submit(shell('main', `echo so far; ${atGate('g')}; echo later`));
    const main = await taskRun(runId);
    await eventually(() => logs({ run_id: main }), { until: ({ content }) => content !== '' });
    const { files } = await downloadBundle(runyard, runId);
    expect(files.get('tasks/main/attempt-0/stdout')).toBe('so far\n');
    expect(files.get('tasks/main/attempt-0/missing.txt')).toBe(
      'output.json: the attempt has no output. The attempt has not finished.\n',
    );
    await open('g');
    await runyard.waitForRunEnd(runId);
  });

  test('of a missing run is refused', async () => {
    expect(await runyard.call('GET', '2.1/jobs/runs/bundle', { run_id: 4_711_000 })).toMatchObject({
      status: 400,
      body: { message: 'Run 4711000 does not exist.' },
    });
  });
});
