/** The README promises nothing that is not so: its tables are those of the code, its examples run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { settings, renderSettingsTable } from '../cli/settings.ts';
import { transitions } from '../engine/run/transitions.ts';
import { startTestService } from './harness/test-service.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const manifest: {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  bin: Record<string, string>;
} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The lines of the table behind a marker. */
function tableBehind(marker: string): string[] {
  const [, after = ''] = readme.split(`<!-- table: ${marker} -->\n`);
  return after.slice(0, after.search(/\n(?!\|)/)).split('\n');
}

describe('tables', () => {
  test('the states are those of the table of transitions', () => {
    const rows = tableBehind('transitions').slice(2);
    expect(rows).toEqual(transitions.map(({ from, on, to }) => `| ${from} | ${on} | ${to} |`));
  });

  test('the settings are those that are read', () => {
    expect(tableBehind('settings')).toEqual(renderSettingsTable());
    expect(Object.keys(settings).length).toBeGreaterThan(10);
  });

  test('every dependency is named', () => {
    const [, section = ''] = readme.split('### Dependencies');
    const missing = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
      (name) => !name.startsWith('@types/') && !section.includes(name),
    );
    expect(missing).toEqual([]);
  });
});

describe('commands', () => {
  test('there are exactly two set-up commands, and npm knows them', () => {
    const setUp = [...readme.matchAll(/^npm ci && (.+)$/gm)].map((match) => match[1]);
    expect(setUp).toEqual(['npm run demo', 'npm test']);
    expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(['demo', 'test', 'start']));
  });

  test('the CI script runs the test command and the demo', () => {
    const script = readFileSync(join(root, '.ci/run'), 'utf8');
    expect(script).toMatch(/npm ci/);
    expect(script).toMatch(/npm test/);
    expect(script).toMatch(/npm run demo/);
  });
});

const hasCurl = (process.env['PATH'] ?? '')
  .split(':')
  .some((directory) => existsSync(join(directory, 'curl')));

describe('examples', () => {
  test('code that is shown is that of the file', () => {
    const shown = [...readme.matchAll(/<!-- code: (\S+) -->\n```\w+\n([\s\S]*?)```/g)];
    expect(shown.map(([, file]) => file)).toEqual(['examples/plugins/http-request.mjs']);
    for (const [, file = '', code] of shown) expect(code).toBe(readFileSync(join(root, file), 'utf8'));
  });

  test.skipIf(!hasCurl)('run as they are written', async () => {
    const examples = [...readme.matchAll(/<!-- example: \S+ -->\n```sh\n([\s\S]*?)```/g)].map(
      (match) => match[1] ?? '',
    );
    expect(examples).toHaveLength(6);
    const directory = await mkdtemp(join(tmpdir(), 'runyard-readme-'));
    // Examples name files of the project by their place in it.
    await symlink(join(root, 'examples'), join(directory, 'examples'));
    const runyard = await startTestService();
    try {
      const shell = spawn('bash', ['-euo', 'pipefail', '-c', examples.join('\n')], {
        cwd: directory,
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { PATH: process.env['PATH'] ?? '', RUNYARD_URL: runyard.url, RUNYARD_TOKEN: runyard.token },
      });
      let said = '';
      shell.stdout.on('data', (data: Buffer) => {
        said += data.toString();
      });
      expect(await once(shell, 'close')).toEqual([0, null]);
      expect(said).toContain('"logs":"hello Runyard\\n"');
      expect(said).toContain('event: end');
      expect(said).toContain('"rows":[[365,"17 of 365 days",17]]');
      expect(said).toContain('"num_output_rows":1679');
      const { jobs } = await runyard.callOk('GET', '2.1/jobs/list', { name: 'two steps' });
      const { run_id } = await runyard.callOk('POST', '2.1/jobs/run-now', { job_id: jobs[0].job_id });
      const run = await runyard.waitForRunEnd(run_id);
      expect(run.state.result_state).toBe('SUCCESS');
      const output = await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: run.tasks[1].run_id });
      expect(output.notebook_output.result).toBe('hello team');
      const {
        runs: [values],
      } = await runyard.callOk('GET', '2.1/jobs/runs/list', { limit: 1, offset: 2 });
      const last = (await runyard.waitForRunEnd(values.run_id)).tasks[1];
      expect((await runyard.callOk('GET', '2.1/jobs/runs/get-output', { run_id: last.run_id })).logs).toBe(
        'hello Oslo, counted 4 in job values\n',
      );
    } finally {
      await runyard.stop();
      await rm(directory, { recursive: true, force: true });
    }
  });
});
