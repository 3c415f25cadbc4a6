/** Process of %sql cells: one database for all of them, restricted to managed_fs. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

let directory: string;
let child: ChildProcess;
let answers: AsyncIterator<string>;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'runyard-sql-'));
  writeFileSync(join(directory, 'rain.csv'), 'city,mm\nOslo,5\n');
  symlinkSync('/etc/passwd', join(directory, 'link'));
  child = spawn(
    process.execPath,
    [fileURLToPath(new URL('../../../runners/notebook/sql-cells.ts', import.meta.url)), directory],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  if (child.stdout === null) throw new Error('unreachable');
  answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
});
afterAll(async () => {
  child.stdin?.end();
  await new Promise((resolve) => {
    child.once('exit', resolve);
  });
  rmSync(directory, { recursive: true });
});

async function ask(
  sql: string,
  parameters: Record<string, string> = {},
): Promise<{ rows?: unknown; error?: string }> {
  child.stdin?.write(`${JSON.stringify({ sql, parameters })}\n`);
  return JSON.parse((await answers.next()).value);
}

test.each<[string, string, unknown]>([
  [
    'files of managed_fs, in both spellings',
    "SELECT city, mm FROM 'managed_fs:/rain.csv' UNION ALL SELECT * FROM read_csv('/dbfs/*.csv')",
    [
      ['Oslo', 5],
      ['Oslo', 5],
    ],
  ],
  [
    'several statements: the rows of the last',
    "CREATE TABLE t AS SELECT * FROM read_files('managed_fs:/rain.csv', format => 'csv'); INSERT INTO t VALUES ('Bergen', 9); SELECT sum(mm) FROM t",
    [[14]],
  ],
  ['what cells before have made', 'SELECT count(*) FROM t', [[2]]],
  ['a change has no rows to show', "INSERT INTO t VALUES ('Voss', 1)", []],
  [
    'parameters by name, never in a text, a cast or a slice',
    "SELECT :city, ':city', '1'::INT, [1, 2, 3][1:2]",
    [['Oslo', ':city', 1, '[1,2]']],
  ],
  ['names in backticks', 'SELECT 1 AS `a b`', [[1]]],
  [
    'a file that is written is there to be read',
    "COPY (SELECT 7 AS n) TO 'managed_fs:/made.csv'; SELECT n FROM 'managed_fs:/made.csv'",
    [[7]],
  ],
  ['whole numbers beyond what JSON holds stay exact', 'SELECT 9007199254740993', [['9007199254740993']]],
])('runs %s', async (_fact, sql, rows) => {
  expect(await ask(sql, { city: 'Oslo' })).toMatchObject({ rows });
});

test.each<[string, string, RegExp]>([
  ['another path', "SELECT * FROM read_text('/etc/passwd')", /Permission Error/],
  ['a climb', "SELECT * FROM read_text('managed_fs:/../../etc/passwd')", /leads outside managed_fs/],
  ['a link that leads out', "SELECT * FROM read_text('managed_fs:/link')", /Permission Error/],
  ['a copy outside', "COPY (SELECT 1) TO '/tmp/out.csv'", /Permission Error/],
  ['the network', "SELECT * FROM 'https://example.com/x.csv'", /./],
  ['an attached database', "ATTACH '/tmp/x.db'", /Permission Error/],
  ['an extension', 'INSTALL httpfs', /Permission Error/],
  ['another setting', 'SET enable_external_access = true', /configuration has been locked|Cannot change/],
  [
    'a missing parameter',
    'SELECT :gone',
    /^The statement has the parameter :gone, which the run was not given .*widget/,
  ],
  ['nonsense', 'SELEC 1', /^Parser Error: syntax error at or near "SELEC"/],
])('refuses %s, and goes on', async (_fact, sql, error) => {
  const answer = await ask(sql);
  expect(answer.error).toMatch(error);
  expect(answer.error).not.toContain(directory);
  expect(await ask('SELECT 1')).toMatchObject({ rows: [[1]] });
});
