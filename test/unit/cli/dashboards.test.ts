/** Tests of `runyard dashboards` as a separate process against a running service. */
import { fileURLToPath } from 'node:url';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../harness/test-service.ts';
import { createTraversableDirectory, runCommand } from './cli-process.ts';

let runyard: TestService;
let variables: Record<string, string>;
beforeAll(async () => {
  runyard = await startTestService();
  variables = { RUNYARD_URL: `${runyard.url}/`, RUNYARD_TOKEN: runyard.token };
});
afterAll(() => runyard.stop());

const corpus = (name: string): string =>
  fileURLToPath(new URL(`../engine/dashboard/corpus/${name}.json`, import.meta.url));

test('a classic dashboard is imported, listed and migrated', async () => {
  const directory = await createTraversableDirectory();
  const imported = await runCommand(['dashboards', 'import', corpus('charts')], directory, variables);
  expect(imported).toEqual({ code: 0, stdout: '33333333-0000-4000-8000-000000000002\n', stderr: '' });
  const id = imported.stdout.trim();
  expect(await runCommand(['dashboards', 'list'], directory, variables)).toEqual({
    code: 0,
    stdout: `${id}  Charts\n`,
    stderr: '',
  });
  const { code, stdout, stderr } = await runCommand(
    ['dashboards', 'migrate', id, '--name', 'New charts', '--folder', '/'],
    directory,
    variables,
  );
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^[0-9a-f]{32} {2}\/New charts\.lvdash\.json\n$/),
  });
  expect(stderr).toContain(': This table replaces a chart of type custom');
});

test('an error is printed as one line with exit code 1', async () => {
  const directory = await createTraversableDirectory();
  await writeFile(join(directory, 'no.json'), '{"name": ""}');
  expect(await runCommand(['dashboards', 'import', 'no.json'], directory, variables)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'runyard: The service refused: Missing required field: name.\n',
  });
  expect(await runCommand(['dashboards', 'import', 'missing.json'], directory, variables)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^runyard: missing\.json cannot be read: ENOENT[^\n]*\n$/),
  });
  expect(await runCommand(['dashboards', 'migrate', 'x'], directory, variables)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^runyard: The service refused: source_dashboard_id is "x"[^\n]*\n$/),
  });
});

test('a missing service or token is reported with the variable to set', async () => {
  const directory = await createTraversableDirectory();
  expect(
    await runCommand(['dashboards', 'list'], directory, { ...variables, RUNYARD_URL: 'http://127.0.0.1:1' }),
  ).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(
      /^runyard: There is no service at http:\/\/127\.0\.0\.1:1 [^\n]+RUNYARD_URL\.\n$/,
    ),
  });
  expect(await runCommand(['dashboards', 'list'], directory, { RUNYARD_URL: runyard.url })).toMatchObject({
    code: 1,
    stderr: `runyard: There is no token for ${runyard.url}: set RUNYARD_TOKEN, or add a profile with runyard profiles add.\n`,
  });
});
