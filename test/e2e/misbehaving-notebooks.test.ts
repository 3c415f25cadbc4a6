/** Notebooks with too much output, leftover processes, or a killed process, through HTTP. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { registerService, submit, outputOf, attempt, reportOf, shown, state } from './notebooks-harness.ts';

registerService();

describe('misbehaving notebooks', () => {
  test.each<[string, string, string, RegExp]>([
    [
      'spec 2.7, 7, 8: a cell above 8 MB',
      'print("x" * 9_000_000)',
      'FAILED',
      /^Cell 1 exceeded the output limit of 8 MB/,
    ],
    [
      'one line of 100 MB',
      'import sys\nfor _ in range(100): sys.stdout.write("x" * 1_000_000)',
      'FAILED',
      /^Cell 1 exceeded the output limit of 8 MB/,
    ],
    [
      'a shell that prints without end',
      '# MAGIC %sh yes',
      'FAILED',
      /^Cell 1 exceeded the output limit of 8 MB/,
    ],
    [
      'codes for terminals, bytes that are no UTF-8',
      '# MAGIC %sh printf "\\033]0;title\\007\\033[2J\\377\\n"; exit 0',
      'SUCCESS',
      /^$/,
    ],
    ['a fork that forgets to end', 'import os\nos.fork()', 'SUCCESS', /^$/],
    [
      'a process that detaches and ignores TERM',
      'import subprocess\nsubprocess.Popen(["sh", "-c", "trap \'\' TERM; while :; do sleep 0.1; done"], start_new_session=True)',
      'SUCCESS',
      /^$/,
    ],
  ])(
    '%s',
    async (_fact, cell, result, error) => {
      const runId = await submit('/team/hostile', [cell, 'print("second")']);
      expect(await state(runId)).toMatchObject({ result_state: result });
      expect((await outputOf(runId)).error ?? '').toMatch(error);
      expect(reportOf(runId).cells[1]?.status).toBe(result === 'SUCCESS' ? 'finished' : 'skipped');
      if (result === 'SUCCESS') expect(shown(runId, 2)).toEqual([{ type: 'stdout', data: 'second\n' }]);
      // No process of the attempt is left.
      const left = readdirSync('/proc')
        .filter((pid) => /^\d+$/.test(pid))
        .filter((pid) => {
          try {
            return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(
              `RUNYARD_ATTEMPT_DIR=${attempt(runId, '').replace(/\/$/, '')}\0`,
            );
          } catch {
            return false;
          }
        });
      expect(left).toEqual([]);
    },
    60_000,
  );

  test('the exit call ends a notebook although a thread is alive, and runs the handlers of atexit', async () => {
    const runId = await submit('/team/thread', [
      [
        'import atexit, threading',
        'atexit.register(lambda: print("closed", flush=True))',
        'threading.Thread(target=threading.Event().wait).start()',
        'dbutils.notebook.exit("done")',
      ].join('\n'),
    ]);
    expect(await state(runId)).toMatchObject({ result_state: 'SUCCESS' });
    expect((await outputOf(runId)).notebook_output).toEqual({ result: 'done', truncated: false });
    expect(readFileSync(attempt(runId, 'stdout'), 'utf8')).toContain('closed');
  });

  test('a killed notebook keeps the output of its running cell', async () => {
    const runId = await submit('/team/killed', [
      'import time\nprint("so far", flush=True)\nwhile True: time.sleep(0.1)',
    ]);
    await eventually(
      () => existsSync(attempt(runId, 'notebook.json')) && reportOf(runId).cells[0]?.outputs.length === 1,
      { until: Boolean },
    );
    const [pid = ''] = readFileSync(attempt(runId, 'pid'), 'utf8').split(' ');
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    process.kill(Number(children[0]), 'SIGKILL');
    expect(await state(runId)).toMatchObject({ result_state: 'FAILED' });
    expect(shown(runId, 1)).toMatchObject([
      { type: 'stdout', data: 'so far\n' },
      { type: 'error', summary: expect.stringContaining('SIGKILL') },
    ]);
  });
});
