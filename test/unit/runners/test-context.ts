/** A RunnerContext for tests of runners: real processes, real files, nothing of the engine behind it. */
import { spawn } from 'node:child_process';
import { access, mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { defaultLimits } from '../../../engine/limits.ts';
import type { ChildRunLauncher } from '../../../engine/ports/task-pool.ts';
import type { NotebookReport, TaskOutput } from '../../../engine/run/task-output.ts';
import { LocateError, type Command, type Exit, type RunnerContext } from '../../../runners/contract.ts';

export interface TestContext extends RunnerContext, FileRoots {
  /** What the runner wrote last. */
  output(): TaskOutput | undefined;
  stdout(): Promise<string>;
  stderr(): Promise<string>;
  report(): Promise<NotebookReport>;
  /** Commands that were really started. */
  readonly startedCommands: readonly Command[];
}

/** For tasks that ask for no run. */
export const noChildRuns: ChildRunLauncher = { launchChild: () => Promise.reject(new Error('unreachable')) };

/** A directory that is gone when the test is over. */
export async function createTemporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'runyard-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** The directories behind `managed_fs:/` and workspace paths. */
export interface FileRoots {
  readonly managedFs: string;
  readonly workspace: string;
}

/**
 * A context over a fresh directory, with roots of its own unless some are given. Its `exec` keeps the promise
 * that runners rely on: a process of a name is started once, and a later call answers with the same end.
 */
export async function createTestContext(
  changes: Partial<RunnerContext> = {},
  roots?: FileRoots,
): Promise<TestContext> {
  const root = await createTemporaryDirectory();
  const directory = join(root, 'attempt');
  const { managedFs, workspace } = roots ?? {
    managedFs: join(root, 'managed_fs'),
    workspace: join(root, 'workspace'),
  };
  await Promise.all([directory, managedFs, workspace].map((path) => mkdir(path, { recursive: true })));
  const ends = new Map<string, Promise<Exit>>();
  const started: Command[] = [];
  let output: TaskOutput | undefined;
  const begin = (command: Command): Promise<Exit> => {
    started.push(command);
    return runProcess(command, directory, {
      RUNYARD_MANAGED_FS: managedFs,
      RUNYARD_WORKSPACE: workspace,
      ...changes.cluster?.environment,
    });
  };
  return {
    jobId: 1,
    jobRunId: 2,
    runId: 3,
    taskKey: 'main',
    attempt: 0,
    directory,
    cluster: undefined,
    libraries: [],
    parameters: {},
    taskValues: {},
    environment: { PATH: searchPath },
    signal: new AbortController().signal,
    limits: defaultLimits,
    exec(command, name = 'main') {
      const end = ends.get(name) ?? begin(command);
      ends.set(name, end);
      return end;
    },
    locate: (uri, what) =>
      resolveFile(
        uri,
        what !== undefined && what !== 'file' ? ['.py', '.sql', '.js', '.ipynb', '.scala', '.r', ''] : [''],
        managedFs,
        workspace,
      ),
    interpreter: findProgram,
    launchJob: () => Promise.resolve({ result: 'FAILED', message: 'Nothing is started in this test.' }),
    writeOutput(value) {
      output = value;
      return Promise.resolve();
    },
    log: () => undefined,
    ...changes,
    managedFs,
    workspace,
    output: () => output,
    stdout: () => readFile(join(directory, 'stdout'), 'utf8'),
    stderr: () => readFile(join(directory, 'stderr'), 'utf8'),
    report: async () => JSON.parse(await readFile(join(directory, 'notebook.json'), 'utf8')),
    startedCommands: started,
  };
}

async function runProcess(command: Command, directory: string, env: Record<string, string>): Promise<Exit> {
  const [program, ...args] = command.argv;
  const [stdout, stderr] = [
    await open(join(directory, 'stdout'), 'a'),
    await open(join(directory, 'stderr'), 'a'),
  ];
  try {
    const child = spawn(program, args, {
      cwd: command.cwd ?? directory,
      env: { PATH: searchPath, ...env, ...command.env },
      stdio: ['ignore', stdout.fd, stderr.fd],
    });
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) =>
        resolve({ kind: 'exited', code: code ?? (signal === 'SIGKILL' ? 137 : 143) }),
      );
    });
  } finally {
    await Promise.all([stdout.close(), stderr.close()]);
  }
}

async function resolveFile(
  uri: string,
  extensions: readonly string[],
  managedFs: string,
  workspace: string,
): Promise<string> {
  const base = uri.startsWith('managed_fs:/')
    ? join(managedFs, uri.slice('managed_fs:/'.length))
    : join(workspace, uri);
  const candidates = extensions.map((extension) => base + extension);
  for (const candidate of candidates) if (await isReadable(candidate)) return candidate;
  throw new LocateError(`${uri} does not exist.`);
}

/** Directories with programs; tests inherit the machine's own, as nothing here is a service with secrets. */
const searchPath = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin';

/** The path of a program of this machine, when it has it. */
export async function findProgram(program: string): Promise<string | undefined> {
  const candidates = searchPath.split(delimiter).map((directory) => join(directory, program));
  for (const candidate of candidates) if (await isReadable(candidate)) return candidate;
  return undefined;
}

async function isReadable(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
