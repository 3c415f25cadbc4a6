/** The commands of the daily work, on one service. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../harness/test-service.ts';
import { startCommand, type CommandResult } from './cli-process.ts';
import { runInProcess } from './in-process.ts';

let runyard: TestService;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'runyard-cli-work-'));
  runyard = await startTestService();
});
afterAll(async () => {
  await runyard.stop();
  await rm(directory, { recursive: true, force: true });
});

const command = (
  words: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<CommandResult> =>
  runInProcess(words, directory, {
    RUNYARD_URL: runyard.url,
    RUNYARD_TOKEN: runyard.token,
    XDG_CONFIG_HOME: join(directory, 'config'),
    ...more,
  });

/** Runs commands one after the other. */
async function commands(...lines: readonly (readonly string[])[]): Promise<CommandResult[]> {
  const results: CommandResult[] = [];
  for (const words of lines) results.push(await command(words));
  return results;
}

const python = (file: string): object => ({
  task_key: 'main',
  existing_cluster_id: 'c',
  spark_python_task: { python_file: `managed_fs:${file}` },
});

describe('jobs', () => {
  test('apply creates, updates and deletes; a second call finds nothing to do', async () => {
    await mkdir(join(directory, 'jobs/nested'), { recursive: true });
    const nightly = {
      name: 'nightly',
      schedule: { quartz_cron_expression: '0 0 2 * * ?', timezone_id: 'UTC' },
    };
    const write = (file: string, settings: object): Promise<void> =>
      writeFile(join(directory, 'jobs', file), JSON.stringify(settings));
    await write('nightly.json', { ...nightly, tasks: [python('/a.py')] });
    await writeFile(
      join(directory, 'jobs/nested/hourly.yaml'),
      'name: hourly\ntasks:\n  - task_key: main\n    existing_cluster_id: c\n    spark_python_task: {python_file: "managed_fs:/a.py"}\n',
    );
    const apply = ['jobs', 'apply', '-f', 'jobs'];
    expect(await command([...apply, '--dry-run'])).toEqual({
      code: 0,
      stdout: '+ create hourly\n+ create nightly\n',
      stderr: '',
    });
    expect(await command(apply)).toMatchObject({ code: 0, stderr: 'Applied 2 changes.\n' });
    expect((await command(apply)).stdout).toMatch(
      /^= unchanged hourly \(job \d+\)\n= unchanged nightly \(job \d+\)\n$/,
    );
    await write('nightly.json', { ...nightly, max_concurrent_runs: 3, tasks: [python('/a.py')] });
    await rm(join(directory, 'jobs/nested'), { recursive: true });
    const pruned = await command([...apply, '--prune']);
    expect(pruned).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(
        /^~ update nightly \(job \d+\)\n {4}max_concurrent_runs: 1 -> 3\n- delete hourly \(job \d+\)\n$/,
      ),
      stderr: 'runyard: Delete hourly? There is no terminal to ask on: add --yes.\n',
    });
    expect(await command([...apply, '--prune', '--yes'])).toMatchObject({ code: 0 });
    const { jobs } = await runyard.callOk('GET', '2.1/jobs/list', {});
    expect(jobs).toMatchObject([
      { settings: { name: 'nightly', max_concurrent_runs: 3, tags: { 'runyard-apply': 'jobs' } } },
    ]);
    const [paused, listed] = [await command(['jobs', 'pause', 'nightly']), await command(['jobs', 'list'])];
    expect(paused).toMatchObject({ code: 0, stderr: expect.stringContaining('(nightly) is paused.') });
    expect(listed.stdout).toMatch(
      /^ID +NAME +STARTS +CREATOR\n\d+ +nightly +0 0 2 \* \* \? UTC \(paused\) +admin\n$/,
    );
  });

  test('an invalid file changes nothing and names file, line and rule', async () => {
    await mkdir(join(directory, 'bad'));
    await writeFile(
      join(directory, 'bad/a.json'),
      JSON.stringify({ name: 'first', tasks: [python('/a.py')] }),
    );
    await writeFile(join(directory, 'bad/b.yaml'), 'name: second\ntasks: [\n');
    await writeFile(join(directory, 'nameless.json'), '{}');
    await writeFile(
      join(directory, 'wrong.json'),
      JSON.stringify({ name: 'w', max_concurrent_runs: 'many' }),
    );
    const [bad, nameless, wrong, absent] = await commands(
      ['jobs', 'apply', '-f', 'bad'],
      ['jobs', 'apply', '-f', 'nameless.json'],
      ['jobs', 'apply', '-f', 'wrong.json'],
      ['jobs', 'create', 'absent.json'],
    );
    expect(bad).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^runyard: bad\/b\.yaml, line \d, column \d: /),
    });
    expect(nameless?.stderr).toBe(
      'runyard: nameless.json is no job: it must be the settings of a job, with a name.\n',
    );
    expect(wrong?.stderr).toMatch(
      /^runyard: w: The service refused: .*max_concurrent_runs.* \(nothing was changed\)\. Correct it and apply again\.$/m,
    );
    expect(absent?.stderr).toMatch(/^runyard: absent\.json cannot be read: /);
    expect((await runyard.callOk('GET', '2.1/jobs/list', { name: 'first' })).jobs ?? []).toEqual([]);
  });

  test('edit stores what the editor wrote, and keeps the text of a refused change', async () => {
    const { job_id: id } = await runyard.callOk('POST', '2.1/jobs/create', {
      name: 'edited',
      tasks: [python('/a.py')],
    });
    const edit = (EDITOR: string): Promise<CommandResult> => command(['jobs', 'edit', 'edited'], { EDITOR });
    const changed = await edit('sed -i s/a.py/b.py/');
    const refused = await edit("sed -i 's/max_concurrent_runs: 1/max_concurrent_runs: x/'");
    const same = await edit('true');
    expect(changed).toMatchObject({ code: 0, stderr: `Job ${id} is changed.\n` });
    expect(same).toMatchObject({ code: 0, stderr: 'Nothing changed.\n' });
    const [, kept = ''] = /Your text is kept in (\S+)\.$/m.exec(refused.stderr) ?? [];
    expect(await readFile(kept, 'utf8')).toContain('max_concurrent_runs: x');
    await rm(join(kept, '..'), { recursive: true });
    const job = await runyard.callOk('GET', '2.1/jobs/get', { job_id: id });
    expect(job.settings.tasks[0].spark_python_task.python_file).toBe('managed_fs:/b.py');
  });
});

describe('run', () => {
  test('a file is uploaded, runs once, and the exit code is its result', async () => {
    await writeFile(join(directory, 'good.py'), 'import sys\nprint("hello", *sys.argv[1:])\n');
    await writeFile(join(directory, 'bad.py'), 'raise ValueError("no rows")\n');
    await writeFile(join(directory, 'query.sql'), 'SELECT 1\n');
    const [good, bad, query] = await commands(
      ['run', 'good.py', '--arg', 'a', '--arg', 'b c', '--follow'],
      ['run', 'bad.py', '--follow'],
      ['run', 'query.sql', '--follow'],
    );
    expect(good).toMatchObject({ code: 0, stdout: 'hello a b c\n' });
    expect(good?.stderr).toMatch(
      /^Run \d+ of good\.py: http.*\n(?:task main: \w+\n)*task main: SUCCESS after /,
    );
    expect(bad).toMatchObject({ code: 1, stdout: '' });
    expect(bad?.stderr).toMatch(/ended as FAILED: .*ValueError: no rows/);
    expect(bad?.stderr).toMatch(/Go on with: runyard explain \d+, or runyard runs repair \d+$/m);
    expect(query).toMatchObject({ code: 0 });
    const listed = await command(['runs', 'list', '--state', 'failed', '-o', 'json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { run_name: 'bad.py', state: { result_state: 'FAILED' } },
    ]);
  });

  test('--param sets parameters of the job; a wrong name and a wrong option are usage errors', async () => {
    await runyard.putFile('/echo.py', 'import sys\nprint(sys.argv[1])\n');
    await runyard.callOk('POST', '2.1/jobs/create', {
      name: 'with parameters',
      parameters: [{ name: 'day', default: 'monday' }],
      tasks: [
        {
          ...python('/echo.py'),
          spark_python_task: { python_file: 'managed_fs:/echo.py', parameters: ['{{job.parameters.day}}'] },
        },
      ],
    });
    const run = ['run', 'with parameters'];
    const [good, unknown, malformed, absent] = await commands(
      [...run, '--param', 'day=sunday', '-f'],
      [...run, '--param', 'night=x'],
      [...run, '--param', 'day'],
      ['run', 'no such job'],
    );
    expect(good).toMatchObject({ code: 0, stdout: 'sunday\n' });
    expect(unknown).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^runyard: Job \d+ has no parameter "night"; it has day\.\n$/),
    });
    expect(malformed).toMatchObject({ code: 2, stderr: expect.stringContaining('It is like name=value.') });
    expect(absent).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no job "no such job"'),
    });
  });
});

describe('files and services', () => {
  test('folders are copied in both directions, byte for byte, in several blocks', async () => {
    await mkdir(join(directory, 'up/sub'), { recursive: true });
    const bytes = Buffer.alloc(2_300_000, 'Runyard ünïcode ');
    await writeFile(join(directory, 'up/big.bin'), bytes);
    await writeFile(join(directory, 'up/sub/small.txt'), 'small\n');
    expect(await command(['files', 'cp', 'up', 'managed_fs:/up'])).toMatchObject({
      code: 1,
      stderr: 'runyard: up is a folder: add --recursive to copy it with its files.\n',
    });
    expect(await command(['files', 'cp', '-r', 'up', 'managed_fs:/up'])).toMatchObject({ code: 0 });
    const [down, listed, cat] = await commands(
      ['files', 'cp', '-r', 'managed_fs:/up', 'down'],
      ['files', 'ls', 'managed_fs:/up'],
      ['files', 'cat', '/up/sub/small.txt'],
    );
    expect(down).toMatchObject({ code: 0, stderr: 'Copied 2 files.\n' });
    expect(listed?.stdout).toMatch(/ 2\.3 MB +big\.bin\n.* - +sub\/\n$/);
    expect(cat?.stdout).toBe('small\n');
    expect(bytes.equals(await readFile(join(directory, 'down/big.bin')))).toBe(true);
    expect(await command(['files', 'rm', '-r', '-y', 'managed_fs:/up'])).toMatchObject({ code: 0 });
  });

  test('a profile names a service; its token is stored for the owner alone', async () => {
    const none = { RUNYARD_URL: '', RUNYARD_TOKEN: '' };
    const added = await command(
      ['profiles', 'add', 'lab', '--url', runyard.url, '--token', runyard.token],
      none,
    );
    expect(added).toMatchObject({ code: 0, stderr: `Profile lab: ${runyard.url} as admin.\n` });
    expect((await stat(join(directory, 'config/runyard/profiles.json'))).mode & 0o777).toBe(0o600);
    const status = await command(['status', '--json'], none);
    const unknown = await command(['status', '--profile', 'other']);
    const refused = await command(
      ['profiles', 'add', 'wrong', '--url', runyard.url, '--token', 'not-a-token'],
      none,
    );
    const unreachable = await command(['status'], { RUNYARD_URL: 'http://127.0.0.1:9' });
    const usage = await command(['jobs', 'list', '--limit', 'x']);
    expect(JSON.parse(status.stdout)).toMatchObject({ url: runyard.url, user: 'admin', ready: true });
    expect(unknown.stderr).toBe(
      'runyard: There is no profile "other"; there are lab. Add one with runyard profiles add.\n',
    );
    expect(refused).toMatchObject({ code: 1 });
    expect(await readFile(join(directory, 'config/runyard/profiles.json'), 'utf8')).not.toContain(
      'not-a-token',
    );
    expect(unreachable).toMatchObject({ code: 3, stderr: expect.stringContaining('There is no service at') });
    expect(usage).toMatchObject({ code: 2 });
  });

  test('every list prints a table or JSON, and completion offers the commands', async () => {
    const names = ['clusters', 'pipelines', 'tokens', 'destinations', 'deliveries', 'nodes'];
    const results = await commands(...names.map((name) => [name, 'list', '-o', 'json']));
    for (const [index, result] of results.entries()) {
      expect(result, names[index]).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(result.stdout), names[index]).toBeInstanceOf(Array);
    }
    const complete = (...words: readonly string[]): Promise<CommandResult> =>
      startCommand(['complete', ...words], directory).result;
    const [offered, script] = await Promise.all([complete('--', 'jobs', ''), complete('bash')]);
    expect(offered.stdout).toContain('apply\tmake the jobs of the service like');
    expect(execFileSync('bash', ['-n'], { input: script.stdout }).toString()).toBe('');
  });
});
