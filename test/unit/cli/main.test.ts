/** Tests of the command line in real processes: output and exit codes. */
import { copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { inject, onTestFinished, test, expect } from 'vitest';
import { createTestDatabase } from '../../harness/test-database.ts';
import { createTraversableDirectory, runCommand, startCommand } from './cli-process.ts';

const cli = fileURLToPath(new URL('../../../cli/', import.meta.url));

/** Runs a script with Node and returns its exit code and output. */
async function runScript(script: string, ...words: string[]) {
  const { exitCode, stdout, stderr } = await execa(process.execPath, [script, ...words], {
    reject: false,
    stripFinalNewline: false,
  });
  return { code: exitCode, stdout, stderr };
}

test.each([
  [
    'an unknown command',
    ['serv'],
    /^runyard: unknown command 'serv' \(Did you mean serve\?\) \(see runyard --help\)\n$/,
  ],
  ['an unknown option', ['serve', '--prot'], /^runyard: unknown option '--prot' .*\n$/],
  ['an extra argument', ['doctor', 'now'], /^runyard: too many arguments for 'doctor'.*\n$/],
  [
    'an unknown subcommand',
    ['token', 'list'],
    /^runyard: unknown subcommand 'list' \(see runyard --help\)\n$/,
  ],
  [
    'an invalid year',
    ['demo', '--year', 'last'],
    /^runyard: option '--year <year>' argument 'last' is invalid.*\n$/,
  ],
  [
    'an option without a value',
    ['demo', '--data-dir'],
    /^runyard: option '--data-dir <directory>' argument missing.*\n$/,
  ],
])('%s is rejected with one line and exit code 2', async (_case, words, message) => {
  expect(await runCommand(words, await createTraversableDirectory())).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(message),
  });
});

test('a call without a command prints the help and exits with 2', async () => {
  expect(await runCommand([], await createTraversableDirectory())).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('Usage: runyard'),
  });
});

test('--version prints the version of the package, also through the bin script', async () => {
  const { version }: { version: string } = JSON.parse(await readFile(join(cli, '../package.json'), 'utf8'));
  expect(await runCommand(['--version'], await createTraversableDirectory())).toEqual({
    code: 0,
    stdout: `${version}\n`,
    stderr: '',
  });
  expect(await runScript(join(cli, 'runyard.mjs'), '--version')).toEqual({
    code: 0,
    stdout: `${version}\n`,
    stderr: '',
  });
});

test('the help of serve lists the settings', async () => {
  const { code, stdout } = await runCommand(['serve', '--help'], await createTraversableDirectory());
  expect(code).toBe(0);
  expect(stdout).toMatch(/RUNYARD_PORT +8080 +Port to listen on/);
  expect(stdout).toContain('DATABASE_URL');
});

test.each(['serve', 'token', 'doctor'])(
  'an unknown setting ends `%s` with one line and exit code 1',
  async (command) => {
    expect(await runCommand([command], await createTraversableDirectory(), { RUNYARD_PROT: '1' })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'runyard: RUNYARD_PROT is not a setting; the nearest known one is RUNYARD_PORT.\n',
    });
  },
);

test('token fails when the data directory has no token', async () => {
  const directory = await createTraversableDirectory();
  const { code, stdout, stderr } = await runCommand(['token'], directory);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^runyard: There is no token in \S+\.runyard yet: [^\n]+\n$/);
});

test('token prints the configured token', async () => {
  expect(
    await runCommand(['token'], await createTraversableDirectory(), {
      RUNYARD_BOOTSTRAP_TOKEN: 'of-my-own-making',
    }),
  ).toEqual({ code: 0, stdout: 'of-my-own-making\n', stderr: '' });
});

test('an unreachable database ends the start with one line that hides the password', async () => {
  const { code, stderr } = await runCommand(['serve'], await createTraversableDirectory(), {
    DATABASE_URL: 'postgres://me:hush@127.0.0.1:1/db',
    RUNYARD_PORT: '0',
  });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      'runyard: The database that DATABASE_URL names (127.0.0.1:1) cannot be used: connect ECONNREFUSED 127.0.0.1:1.\n',
  });
});

test('a data directory that is a file ends the start with one line', async () => {
  const directory = await createTraversableDirectory();
  await writeFile(join(directory, 'file'), '');
  const { code, stderr } = await runCommand(['serve'], directory, {
    RUNYARD_DATA_DIR: 'file',
    RUNYARD_PORT: '0',
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^runyard: The data directory \S+file cannot be used \([^\n]+\): [^\n]+RUNYARD_DATA_DIR\.\n$/,
  );
});

test('a port in use ends the start with one line that names host, port and variable', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => {
    taken.once('listening', resolve);
  });
  onTestFinished(() => {
    taken.close();
  });
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const address = taken.address();
  const port = String(typeof address === 'object' ? address?.port : '');
  const { host, user, password } = inject('postgres');
  const url = `postgresql:///${database.address.database}?${new URLSearchParams({ host, user, password })}`;
  const { code, stderr } = await runCommand(['serve'], await createTraversableDirectory(), {
    DATABASE_URL: url,
    RUNYARD_PORT: port,
  });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `runyard: Cannot listen on 127.0.0.1, port ${port}: another program listens there. Choose another RUNYARD_PORT, or 0 for any free one.\n`,
  });
});

test('serve prints its URL, prints a new token once, locks out a second engine, and stops on a signal', async () => {
  const directory = await createTraversableDirectory();
  const first = startCommand(['serve'], directory, { RUNYARD_PORT: '0' });
  const [, url] = await first.waitForOutput(/^Runyard is ready at (http:\/\/127\.0\.0\.1:[1-9]\d*)$/m);
  const [, file = '', token] = await first.waitForOutput(
    /^Token of the first administrator \(`runyard token` shows it again; kept in (\S+)\): (\S+)$/m,
  );
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await runCommand(['token'], directory)).toEqual({ code: 0, stdout: `${token}\n`, stderr: '' });
  expect(
    (await fetch(`${url}/api/2.1/jobs/list`, { headers: { authorization: `Bearer ${token}` } })).status,
  ).toBe(200);

  const second = await runCommand(['serve'], directory, { RUNYARD_PORT: '0' });
  expect(second).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^runyard: The directory \S+ is in use by the engine with process id \d+: [^\n]+\n$/,
    ),
  });
  expect(second.stderr).toContain(` ${first.child.pid}:`);

  first.child.kill('SIGTERM');
  const { code, stdout } = await first.result;
  expect(code).toBe(0);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  expect(lines).toContainEqual(expect.objectContaining({ url, msg: 'Runyard is ready.' }));
  expect(stdout).not.toContain(token);

  const again = startCommand(['serve'], directory, { RUNYARD_PORT: '0' });
  await again.waitForOutput(/^Runyard is ready at/m);
  again.child.kill('SIGINT');
  expect(await again.result).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Token') });
});

test('preflight without installed packages prints the fix in one line', async () => {
  const directory = await createTraversableDirectory();
  await mkdir(join(directory, 'cli'));
  for (const name of ['preflight.mjs', 'runyard.mjs']) {
    await copyFile(join(cli, name), join(directory, 'cli', name));
    expect(await runScript(join(directory, 'cli', name))).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^runyard: The packages are not installed in \S+: run `npm ci` there\.\n$/,
      ),
    });
  }
});
