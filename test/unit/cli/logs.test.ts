/** Tests of `runyard logs` and `runyard bundle` on a service with real tasks. */
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLinePrinter } from '../../../cli/commands/line-printer.ts';
import { sanitizeTerminalText } from '../../../cli/commands/sanitize-terminal-text.ts';
import { programTask } from '../../e2e/console/console-page.ts';
import { startTestService, type TestService } from '../../harness/test-service.ts';
import { startCommand, type CommandResult } from './cli-process.ts';

let runyard: TestService;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'runyard-cli-logs-'));
  runyard = await startTestService();
  await runyard.putFile(
    '/says.py',
    'import sys\nprint(sys.argv[1].encode().decode("unicode_escape"))\nprint("complaint", file=sys.stderr)\nsys.exit(int(sys.argv[2]))\n',
  );
  await runyard.putFile(
    '/gate.py',
    'import os, sys, time\nprint("before", flush=True)\nwhile not os.path.exists(os.environ["RUNYARD_MANAGED_FS"] + "/" + sys.argv[1]): time.sleep(0.02)\nprint("after")\n',
  );
});
afterAll(async () => {
  await runyard.stop();
  await rm(directory, { recursive: true, force: true });
});

const variables = (): Record<string, string> => ({ RUNYARD_URL: runyard.url, RUNYARD_TOKEN: runyard.token });
const command = (...words: string[]): Promise<CommandResult> =>
  startCommand(words, directory, variables()).result;
const submit = async (...tasks: object[]): Promise<number> =>
  (await runyard.callOk('POST', '2.1/jobs/runs/submit', { run_name: 'cli', tasks })).run_id;

describe('runyard logs', () => {
  test('prints stdout and stderr of a single-task run without escape sequences', async () => {
    const runId = await submit(
      programTask('main', 'says', [String.raw`\x1b]0;owned\x07\x1b[31mred\x1b[2Jx\x9b1my\x08`, '0']),
    );
    await runyard.waitForRunEnd(runId);
    expect(await command('logs', String(runId))).toEqual({
      code: 0,
      stdout: 'redxy\n'.replace('xy', 'x1my'),
      stderr: 'complaint\n',
    });
    expect(await command('logs', String(runId), '--stream', 'stderr')).toEqual({
      code: 0,
      stdout: 'complaint\n',
      stderr: '',
    });
    expect((await command('logs', String(runId), '--stream', 'stdout', '--tail', '1')).stdout).toBe(
      'redx1my\n',
    );
  });

  test('prefixes lines with the task key in a multi-task run, and --task selects one task', async () => {
    const runId = await submit(
      programTask('one', 'says', ['first', '0']),
      programTask('two', 'says', ['second', '0'], ['one']),
    );
    await runyard.waitForRunEnd(runId);
    expect((await command('logs', String(runId), '--stream', 'stdout')).stdout).toBe(
      'one | first\ntwo | second\n',
    );
    expect((await command('logs', String(runId), '--stream', 'stdout', '--task', 'two')).stdout).toBe(
      'second\n',
    );
    expect(await command('logs', String(runId), '--task', 'three')).toEqual({
      code: 1,
      stdout: '',
      stderr: `runyard: Run ${runId} has no task three; it has one, two.\n`,
    });
  });

  test('--follow follows all tasks until the run ends and exits with its result', async () => {
    const runId = await submit(
      programTask('wait', 'gate', ['g1']),
      programTask('fail', 'says', ['bad', '3'], ['wait']),
    );
    const running = startCommand(['logs', '-f', String(runId)], directory, variables());
    await running.waitForOutput(/wait \| before/);
    await writeFile(join(runyard.dataDirectory, 'managed_fs', 'g1'), '');
    const { code, stdout, stderr } = await running.result;
    expect([code, stdout]).toEqual([1, 'wait | before\nwait | after\nfail | bad\n']);
    expect(stderr).toMatch(new RegExp(`fail \\| complaint\\nrunyard: run ${runId} ended as FAILED`));
    const good = await submit(programTask('main', 'says', ['fine', '0']));
    expect(await command('logs', '-f', String(good))).toEqual({
      code: 0,
      stdout: 'fine\n',
      stderr: 'complaint\n',
    });
  });

  test('Ctrl-C ends --follow with 130 and leaves the run active', async () => {
    const runId = await submit(programTask('main', 'gate', ['g2']));
    const running = startCommand(['logs', '-f', String(runId)], directory, variables());
    await running.waitForOutput(/before/);
    running.child.kill('SIGINT');
    expect(await running.result).toEqual({ code: 130, stdout: 'before\n', stderr: '' });
    expect((await runyard.callOk('GET', '2.1/jobs/runs/get', { run_id: runId })).state.life_cycle_state).toBe(
      'RUNNING',
    );
    await writeFile(join(runyard.dataDirectory, 'managed_fs', 'g2'), '');
    await runyard.waitForRunEnd(runId);
  });

  test('--follow reconnects to a service that was away without losing or repeating lines', async () => {
    const requestedOffsets: string[] = [];
    const state = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
      if (pathname.endsWith('/get')) {
        response.end(
          JSON.stringify({
            run_id: 7,
            state,
            tasks: [{ run_id: 7, task_key: 'main', attempt_number: 0, start_time: 0, end_time: 0, state }],
          }),
        );
        return;
      }
      requestedOffsets.push(searchParams.get('offset') ?? '');
      const event = (id: number, name: string, data: object): string =>
        `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
      response.writeHead(requestedOffsets.length === 2 ? 503 : 200, { 'content-type': 'text/event-stream' });
      if (requestedOffsets.length === 1)
        response.write(`${event(4, 'log', { offset: 0, content: 'one\n' })}id: 8\nevent: log\nda`, () =>
          response.destroy(),
        );
      else if (requestedOffsets.length === 2)
        response.end('{"error_code": "TEMPORARILY_UNAVAILABLE", "message": "Later."}');
      else response.end(event(8, 'log', { offset: 4, content: 'two\n' }) + event(8, 'end', { offset: 8 }));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const ended = await startCommand(['logs', '-f', '7', '--stream', 'stdout'], directory, {
      RUNYARD_URL: `http://127.0.0.1:${port}`,
      RUNYARD_TOKEN: 'x',
    }).result;
    server.close();
    expect(ended).toEqual({
      code: 0,
      stdout: 'one\ntwo\n',
      stderr: expect.stringMatching(/^runyard: the service does not answer; retrying/),
    });
    expect(requestedOffsets).toEqual(['0', '4', '4']);
  });

  test.each([
    [['logs', '4711000'], 1, /The service refused: Run 4711000 does not exist/],
    [['logs', '1', '--stream', 'stdin'], 2, /stdout, stderr, both/],
    [['bundle', '4711000'], 1, /Run 4711000 does not exist/],
  ])('%j fails with exit code %i', async (words, code, message) => {
    expect(await command(...words)).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
  });
});

test('runyard bundle writes a complete file or none', async () => {
  const runId = await submit(programTask('main', 'says', ['bundled', '0']));
  await runyard.waitForRunEnd(runId);
  expect(await command('bundle', String(runId))).toEqual({
    code: 0,
    stdout: `run-${runId}.tar.gz\n`,
    stderr: '',
  });
  const archive = join(directory, `run-${runId}.tar.gz`);
  const { stdout } = await execa('tar', ['-xzOf', archive, 'tasks/main/attempt-0/stdout']);
  expect(stdout).toBe('bundled');
  expect((await stat(archive)).mode & 0o777).toBe(0o600);
  expect(
    (await command('bundle', String(runId), '-o', join(directory, 'no', 'such', 'folder.tar.gz'))).code,
  ).toBe(1);
  expect((await readdir(directory)).filter((name) => name.endsWith('.part'))).toEqual([]);
});

describe('terminal output', () => {
  test.each([
    ['colours are kept and reset', '\u001B[1;31mred', '\u001B[1;31mred\u001B[0m'],
    [
      'other escape sequences are removed',
      'a\u001B[2Jb\u001B[10;10Hc\u001B]52;c;AAAA\u0007d\u001BPq\u001B\\e\u001Bcf',
      'abcdef',
    ],
    ['an incomplete escape sequence is removed', 'a\u001B[31', 'a'],
    ['CRLF and CR count as line ends', 'a\r\nb\rc', 'a\nb\nc'],
    ['control and direction characters are removed', 'a\bb\u0007c\u202Ed\u009B2Je\tf', 'abcd2Je\tf'],
  ])('%s', (_fact, text, safe) => {
    expect(sanitizeTerminalText(text, true)).toBe(safe);
    expect(sanitizeTerminalText(text, false)).not.toContain('\u001B');
  });

  test('print waits for a slow terminal and leaves no listener behind', async () => {
    const out = new PassThrough({ highWaterMark: 1 });
    const written: string[] = [];
    const printer = createLinePrinter(Object.assign(out, { isTTY: false as const }), '');
    for (let line = 0; line < 20; line += 1) {
      const printed = printer.print(`${line}\n`);
      written.push(String(out.read()));
      await printed;
    }
    expect(written.join('')).toBe(Array.from({ length: 20 }, (_, line) => `${line}\n`).join(''));
    expect([out.listenerCount('drain'), out.listenerCount('close')]).toEqual([0, 0]);
  });

  test('a long line is printed in parts with one prefix', async () => {
    let printed = '';
    const out = Object.assign(Object.create(process.stdout), {
      write: (text: string) => {
        printed += text;
        return true;
      },
      isTTY: false,
    });
    const printer = createLinePrinter(out, 'task | ');
    for (let part = 0; part < 20; part += 1) await printer.print('x'.repeat(10_000));
    expect(printed.length).toBeGreaterThan(100_000);
    await printer.print('\nnext\nlast');
    await printer.flush();
    expect(printed).toBe(`task | ${'x'.repeat(200_000)}\ntask | next\ntask | last\n`);
  });
});
