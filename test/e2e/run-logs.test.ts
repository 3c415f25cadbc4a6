/** Paged logs of real tasks, and logs over their size limit. */
import { describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.ts';
import { downloadBundle, logTextOf, followLog, type LogEvent as Event } from '../harness/run-logs.ts';
import { registerService, kib, runyard, shell, submit, taskRun, after, logs } from './run-logs-harness.ts';

registerService();

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
