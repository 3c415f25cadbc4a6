/** Warm starts: a program behaves as after a cold start, and the fork server may die at any time. */
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noLibraries } from '../../../engine/cluster/libraries.ts';
import { defaultLimits } from '../../../engine/limits.ts';
import { identifyProcess } from '../../../engine/process-identity.ts';
import type { TaskAssignment, TaskCluster } from '../../../engine/run/assignment.ts';
import { noIsolation } from '../../../runners/process/isolation.ts';
import { attemptMarker } from '../../../runners/process/start-supervisor.mjs';
import { createTaskPool, type ClosableTaskPool } from '../../../runners/pool/task-pool.ts';
import { createLocalProvider } from '../../../runners/warm/local-provider.ts';
import { eventually } from '../../harness/eventually.ts';
import {
  claimantOf,
  endForkServers,
  listForkServers,
  readCommandLine,
  waitForForkServers,
} from './fork-servers.ts';
import { noChildRuns } from './test-context.ts';

const root = await mkdtemp(join(tmpdir(), 'runyard-warm-'));
const cluster: TaskCluster = {
  clusterId: 'warm',
  directory: join(root, 'clusters', 'warm'),
  environment: { SHARED: 'of the cluster' },
  libraries: noLibraries,
  runtime: 'warm',
  nodeType: { memory_mb: 4_096, num_cores: 1, category: '', description: '' },
};
let pool: ClosableTaskPool;
let lastRunId = 0;

beforeAll(async () => {
  pool = openPool();
  await runProgram('pass', cluster);
  await waitForForkServers(cluster.directory);
});
afterAll(async () => {
  await pool.close();
  await endForkServers(cluster.directory);
  await rm(root, { recursive: true, force: true });
});

function openPool(): ClosableTaskPool {
  return createTaskPool({
    threads: 1,
    attemptsPerThread: 10,
    settings: {
      taskEnvironment: { PATH: process.env['PATH'] ?? '' },
      stopGraceMs: 500,
      logBytesMax: 2 ** 20,
      limits: defaultLimits,
      isolation: noIsolation,
      warmImports: ['decimal', 'no_such_module'],
    },
    locate: async (uri) => join(root, uri),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
}

async function assign(source: string, on: TaskCluster): Promise<TaskAssignment> {
  const runId = (lastRunId += 1);
  const directory = join(root, 'runs', String(runId));
  await mkdir(directory, { recursive: true });
  const file = `program-${runId}.py`;
  await writeFile(join(root, file), source);
  return {
    jobId: 1,
    jobRunId: runId,
    runId,
    taskKey: 'main',
    attempt: 0,
    kind: 'spark_python_task',
    task: { python_file: file, parameters: ['a b', ''] },
    parameters: {},
    taskValues: {},
    libraries: [],
    directory,
    cluster: on,
  };
}

/** Runs a program, and returns what can be seen of it, without the number of the run. */
async function runProgram(source: string, on: TaskCluster) {
  const one = await assign(source, on);
  const outcome = await pool.run(one, noChildRuns).outcome;
  const read = (name: string) => readFile(join(one.directory, name), 'utf8').catch(() => undefined);
  const numbered = new RegExp(`(program-|runs/|_ID': ')${one.runId}\\b`, 'g');
  const seen = {
    outcome,
    stdout: await read('stdout'),
    stderr: await read('stderr'),
    exit: await read('exit'),
    left: await read('work/left-open'),
  };
  return JSON.parse(JSON.stringify(seen).replaceAll(numbered, '$1N'));
}

const cold: TaskCluster = { ...cluster, runtime: 'cold' };

/** Programs that behave the same after a warm and a cold start. */
const programs = new Map<string, string>([
  ['arguments, working directory and search path', 'import os, sys; print(sys.argv, os.getcwd(), sys.path)'],
  [
    'environment',
    'import os; print({k: v for k, v in sorted(os.environ.items()) if k not in ("_", "SHLVL", "OLDPWD", "LC_CTYPE")})',
  ],
  ['main module', 'print(__name__, __file__, __doc__, __spec__, __builtins__, sorted(globals()))'],
  ['flags', 'import sys; print(sys.flags, sys.stdout.encoding, sys.stdout.write_through, sys.stderr.errors)'],
  [
    'signals',
    'import signal; print([(str(n), str(signal.getsignal(n))) for n in sorted(signal.valid_signals())], signal.pthread_sigmask(signal.SIG_BLOCK, []))',
  ],
  ['limits', 'import resource as r; print(r.getrlimit(r.RLIMIT_DATA), r.getrlimit(r.RLIMIT_NOFILE))'],
  ['session', 'import os; print(os.getsid(0) == os.getppid() == os.getpgrp(), os.isatty(0))'],
  [
    'open files',
    'import os; print(sorted(os.listdir("/proc/self/fd"))[:3], len(os.listdir("/proc/self/fd")) < 6)',
  ],
  [
    'threads',
    'import threading; print(threading.main_thread() is threading.current_thread(), threading.active_count())',
  ],
  [
    'an uncaught exception',
    'def f():\n  1 / 0\ntry:\n  f()\nexcept Exception as e:\n  raise ValueError("x") from e',
  ],
  ['a syntax error', 'def f(:'],
  ['an exit code', 'import sys; sys.exit(3)'],
  ['an exit with a message', 'import sys; sys.exit("no input")'],
  ['an exit without the end of Python', 'import os; os._exit(7)'],
  ['a signal', 'import os; os.kill(os.getpid(), 9)'],
  ['an interrupt', 'raise KeyboardInterrupt'],
  ['a hook for exceptions', 'import sys; sys.excepthook = lambda *e: print("hook", e[0]); 1 / 0'],
  [
    'the end of threads, handlers and files',
    `import atexit, threading, time
class Last:
    def __del__(self): print("deleted")
last = Last()
atexit.register(print, "handler")
threading.Thread(target=lambda: (time.sleep(0.05), print("thread"))).start()
file = open("left-open", "w"); file.write("written")
atexit.register(lambda: print(open("left-open").read() == ""))`,
  ],
  [
    'child processes',
    'import os, subprocess, sys; print(subprocess.run(["sh", "-c", "echo $RUNYARD_TASK_KEY; exit 4"]).returncode)',
  ],
  [
    'a pool of processes',
    'import multiprocessing as m\nif __name__ == "__main__":\n  print(m.get_context("spawn").Pool(1).map(abs, [-1]))',
  ],
]);

test('programs behave warm as cold', async () => {
  // Together: most of their time is the cold start.
  await Promise.all(
    [...programs].map(async ([what, source]) => {
      const [one, other] = await Promise.all([runProgram(source, cluster), runProgram(source, cold)]);
      expect(one, what).toEqual(other);
    }),
  );
});

test('configured modules are imported before, and the process is marked with its attempt', async () => {
  const one = await assign('import sys, time\nprint("decimal" in sys.modules)\ntime.sleep(600)', cluster);
  const running = pool.run(one, noChildRuns);
  await eventually(() => readFileSync(join(one.directory, 'stdout'), 'utf8'), { until: Boolean });
  expect(readFileSync(join(one.directory, 'stdout'), 'utf8')).toBe('True\n');
  const supervisor = claimantOf(one.directory);
  expect(readCommandLine(one.directory)).toContain('fork_server.py');
  const [program = ''] = readFileSync(`/proc/${supervisor}/task/${supervisor}/children`, 'utf8').split(' ');
  const marks = readFileSync(`/proc/${program}/environ`, 'utf8')
    .split('\0')
    .filter((variable) => variable.startsWith(`${attemptMarker}=`));
  expect(marks).toEqual([`${attemptMarker}=${one.directory}`]);
  running.stop();
  expect(await running.outcome).toEqual({ kind: 'stopped' });
  expect(await identifyProcess(Number(program))).toBeUndefined();
});

test('a program survives its fork server, also into another engine; another server replaces it', async () => {
  const one = await assign(
    'import os, sys, time\nprint("up")\nwhile not os.path.exists("go"): time.sleep(0.01)\nprint("done")\nsys.exit(5)',
    cluster,
  );
  const first = pool;
  void first.run(one, noChildRuns);
  await eventually(() => readFileSync(join(one.directory, 'stdout'), 'utf8'), { until: Boolean });
  const [server = ''] = await listForkServers(cluster.directory);
  process.kill(claimantOf(server), 'SIGKILL');
  process.kill(-claimantOf(server), 'SIGKILL');
  await first.close();
  pool = openPool();
  const adopted = pool.run(one, noChildRuns);
  await writeFile(join(one.directory, 'work', 'go'), '');
  expect(await adopted.outcome).toMatchObject({ kind: 'failed' });
  expect(readFileSync(join(one.directory, 'stdout'), 'utf8')).toBe('up\ndone\n');
  expect((await runProgram('print(1)', cluster)).stdout).toBe('1\n');
  expect(await listForkServers(cluster.directory)).toHaveLength(2);
  await waitForForkServers(cluster.directory);
  expect((await runProgram('import sys; print("decimal" in sys.modules)', cluster)).stdout).toBe('True\n');
});

test('the end of a cluster ends its fork server and no program', async () => {
  const provider = createLocalProvider(join(root, 'clusters'));
  const one = await assign(
    'import os, time\nprint("up")\nwhile not os.path.exists("go"): time.sleep(0.01)',
    cluster,
  );
  const running = pool.run(one, noChildRuns);
  await eventually(() => readFileSync(join(one.directory, 'stdout'), 'utf8'), { until: Boolean });
  expect(await provider.listClusters()).toEqual(['warm']);
  const server = (await listForkServers(cluster.directory)).at(-1) ?? '';
  const pid = claimantOf(server);
  await provider.endCluster('warm');
  expect(await identifyProcess(pid)).toBeUndefined();
  expect(await createLocalProvider(join(root, 'clusters')).listClusters()).toEqual([]);
  await writeFile(join(one.directory, 'work', 'go'), '');
  expect(await running.outcome).toEqual({ kind: 'succeeded' });
});
