/**
 * Library installer: missing and failing tools, caching, and error messages.
 */
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { noLibraries } from '../../../engine/cluster/libraries.ts';
import type { Library } from '../../../engine/job/cluster.ts';
import type { InstallOutcome } from '../../../engine/ports/libraries.ts';
import { noIsolation } from '../../../runners/process/isolation.ts';
import { readInstallErrors } from '../../../runners/libraries/install-errors.ts';
import { createLibraryInstaller } from '../../../runners/libraries/installer.ts';
import { createManualClock } from '../../harness/manual-clock.ts';
import { findProgram, createTemporaryDirectory } from './test-context.ts';

const nothing = { installed: [], paths: noLibraries };
const never = new AbortController().signal;

/** Creates an installer that finds only these programs, and those that shell scripts need. */
async function createInstallHarness(programs: Readonly<Record<string, string>> = {}) {
  const root = await createTemporaryDirectory();
  const bin = join(root, 'bin');
  await mkdir(bin);
  for (const [name, text] of Object.entries(programs))
    await writeFile(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const clock = createManualClock();
  for (const name of ['cp', 'basename', 'grep', 'mkdir'])
    await symlink((await findProgram(name)) ?? '', join(bin, name));
  const installer = createLibraryInstaller({
    directory: join(root, 'libraries'),
    environment: { PATH: bin },
    locate: async (uri) => join(root, uri),
    stopGraceMs: 100,
    clock,
    isolation: noIsolation,
  });
  const install = (environment: Record<string, string>, ...wanted: Library[]): Promise<InstallOutcome> =>
    installer.install(
      {
        environment,
        directory: join(root, 'attempt'),
        current: nothing,
        wanted,
        onProgress: async () => undefined,
      },
      never,
    );
  return {
    root,
    clock,
    installWith: install,
    install: (...wanted: Library[]): Promise<InstallOutcome> => install({}, ...wanted),
    tries: async (): Promise<string[]> =>
      (await readdir(join(root, 'libraries', 'tries'), { recursive: true })).filter((path) =>
        path.endsWith('/exit'),
      ),
  };
}

const messagesOf = (outcome: InstallOutcome): string[] =>
  outcome.kind === 'failed' ? outcome.failures.map(({ message }) => message) : [outcome.kind];

test.each<[Library, RegExp]>([
  [
    { pypi: { package: 'a' } },
    /^python3 was not found on this machine\. Install Python 3\.8 or newer and start the run again\.$/,
  ],
  [
    { maven: { coordinates: 'a:b:1' } },
    /^Neither mvn nor coursier \(cs\) was found on this machine\. Install Maven \(for example "apt-get install maven"\) and start the run again\.$/,
  ],
  [{ cran: { package: 'ada' } }, /^Rscript was not found on this machine\. Install R/],
  [{ maven: { coordinates: 'a:b' } }, /^maven\.coordinates is "a:b"; it must be group:artifact:version\.$/],
  [
    { maven: { coordinates: 'a:b:1', exclusions: ['c'] } },
    /^maven\.exclusions has "c"; each entry must be group:artifact\.$/,
  ],
  [
    { maven: { coordinates: 'a:b:1', repo: 'file:///etc' } },
    /^repo is "file:\/\/\/etc"; it must be a URL that starts with https:\/\/ or http:\/\/\.$/,
  ],
  [
    { cran: { package: 'a"); q()' } },
    /^cran\.package is "a\\"\); q\(\)"; it must be the name of an R package\.$/,
  ],
])('%j fails with the reason if it is invalid or its tool is missing', async (library, message) => {
  expect(messagesOf(await (await createInstallHarness()).install(library))).toEqual([
    expect.stringMatching(message),
  ]);
});

test('R packages are installed into a library on the path of tasks', async () => {
  const machine = await createInstallHarness({ Rscript: 'printf "%s\\n" "$@" > "$4/asked"' });
  const outcome = await machine.install(
    { cran: { package: 'ada' } },
    { cran: { package: 'bit', repo: 'https://r.example.org' } },
  );
  if (outcome.kind !== 'installed') throw new Error(messagesOf(outcome).join(' '));
  const [library = ''] = outcome.environment.paths.rPath ?? [];
  const asked = (await readFile(join(library, 'asked'), 'utf8')).trimEnd().split('\n');
  expect([asked[0], asked[1]]).toEqual(['--vanilla', '-e']);
  expect(asked.slice(-3)).toEqual(['https://r.example.org', 'ada', 'bit']);
});

test('coursier resolves packages without Maven, in its order', async () => {
  const machine = await createInstallHarness({
    cs: 'printf "%s\\n" "$@" > asked; for name in b a; do echo "$name" > "$name.jar"; echo "$PWD/$name.jar"; done',
  });
  const library = {
    maven: { coordinates: 'g:a:1:linux', exclusions: ['x:y', 'x:z'], repo: 'https://m.example.org' },
  };
  const outcome = await machine.install(library);
  if (outcome.kind !== 'installed') throw new Error(messagesOf(outcome).join(' '));
  expect(outcome.environment.paths.classPath.map((path) => path.split('/').at(-1))).toEqual([
    '1001-b.jar',
    '1002-a.jar',
  ]);
});

test('a failing package is reported with the error of its tool, and retried by the next installation', async () => {
  const machine = await createInstallHarness({
    mvn: 'grep -q bad "$5" || exit 0; echo "[INFO] resolving"; echo "[ERROR] Could not find artifact x:bad:jar:1"; echo "[ERROR] [Help 1] http://nowhere"; exit 1',
  });
  const libraries = [{ maven: { coordinates: 'x:good:1' } }, { maven: { coordinates: 'x:bad:1' } }];
  const outcome = await machine.install(...libraries);
  expect(outcome).toEqual({
    kind: 'failed',
    failures: [{ library: libraries[1], message: '[ERROR] Could not find artifact x:bad:jar:1' }],
  });
  const before = (await machine.tries()).length;
  await machine.install(...libraries.slice(1));
  expect((await machine.tries()).length).toBe(before + 1);
});

test('only packages without an exact version are resolved again every day', async () => {
  const python = 'case "$1" in -c) echo "$0";; *) echo "$*" >> "$0.asked"; mkdir -p "$5";; esac';
  const machine = await createInstallHarness({ python3: python });
  const asked = async (): Promise<number> =>
    (await readFile(join(machine.root, 'bin', 'python3.asked'), 'utf8')).trimEnd().split('\n').length;
  const both = async (): Promise<void> => {
    for (const name of ['exact==1.0', 'newest'])
      expect((await machine.install({ pypi: { package: name } })).kind).toBe('installed');
  };
  await both();
  await both();
  expect(await asked()).toBe(2);
  machine.clock.advance(24 * 60 * 60 * 1_000);
  await both();
  expect(await asked()).toBe(3);
});

test('a Python without pip fails with an instruction', async () => {
  const machine = await createInstallHarness({
    python3: 'case "$1" in -c) echo "$0";; *) echo "$0: No module named pip" >&2; exit 1;; esac',
  });
  expect(messagesOf(await machine.install({ pypi: { package: 'a' } }))).toEqual([
    `${join(machine.root, 'bin', 'python3')} has no pip. Install it (for example "apt-get install python3-pip") and start the run again.`,
  ]);
});

test('tools get only pip variables of a cluster, whose entries other clusters do not share', async () => {
  const machine = await createInstallHarness({ cs: 'echo "${PIP_X}${OTHER}" > a.jar; echo "$PWD/a.jar"' });
  const library = { maven: { coordinates: 'g:a:1' } };
  const jarWith = async (environment: Record<string, string>): Promise<string> => {
    const outcome = await machine.installWith(environment, library);
    if (outcome.kind !== 'installed') throw new Error(messagesOf(outcome).join(' '));
    return readFile(outcome.environment.paths.classPath[0] ?? '', 'utf8');
  };
  expect(await jarWith({ PIP_X: 'own', OTHER: 'secret' })).toBe('own\n');
  expect(await jarWith({ OTHER: 'secret' })).toBe('\n');
});

test('a tool without output is described by its exit code', async () => {
  expect(
    messagesOf(
      await (await createInstallHarness({ mvn: 'kill -9 $$' })).install({ maven: { coordinates: 'a:b:1' } }),
    ),
  ).toEqual(['the installer ended with exit code 137 (killed by signal 9, SIGKILL)']);
});

test('an unreachable index has another error than a missing package', async () => {
  const directory = await createTemporaryDirectory();
  const broken =
    "connection broken by 'NewConnectionError('<pip.HTTPConnection object at 0x7f>: Failed to establish a new connection: [Errno 111] Connection refused')': /simple/x/";
  const none = 'ERROR: No matching distribution found for x';
  await writeFile(
    join(directory, 'stderr'),
    `WARNING: Retrying (Retry(total=1, connect=None)) after ${broken}\n${none}\n`,
  );
  expect(await readInstallErrors(directory)).toBe(none);
  await writeFile(
    join(directory, 'stderr'),
    `WARNING: Retrying (Retry(total=0, connect=None)) after ${broken}\n${none}\n`,
  );
  expect(await readInstallErrors(directory)).toBe(
    `The package index could not be reached (/simple/x/): Failed to establish a new connection: [Errno 111] Connection refused. ${none}`,
  );
});

test('the error of a tool is its error lines without colors and hints, else its last lines', async () => {
  const directory = await createTemporaryDirectory();
  await writeFile(join(directory, 'stdout'), 'Collecting x\n');
  await writeFile(
    join(directory, 'stderr'),
    '\u001b[31mERROR: no x\u001b[0m\n[notice] a new pip\nWARNING: you are root\n',
  );
  expect(await readInstallErrors(directory)).toBe('ERROR: no x');
  await writeFile(join(directory, 'stderr'), '');
  expect(await readInstallErrors(directory)).toBe('Collecting x');
});
