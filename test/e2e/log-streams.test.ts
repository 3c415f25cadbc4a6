/** Streamed logs of real tasks. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../engine/limits.ts';
import { collectEvents, logTextOf, followLog, type LogEvent as Event } from '../harness/run-logs.ts';
import { startTestService } from '../harness/test-service.ts';
import { eventually } from '../harness/eventually.ts';
import { registerService, runyard, shell, submit, taskRun, after, open, atGate } from './run-logs-harness.ts';

registerService();

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
