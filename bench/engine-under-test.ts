/** Runs `runyard serve` on a fresh data directory and measures its resources. Shared by the benchmarks. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../engine/clock.ts';

const token = 'token-of-a-bench';
const project = fileURLToPath(new URL('..', import.meta.url));

/** Returns the arguments of Node in `npm start`: `exec node [option ...] cli/main.ts serve`. */
async function readStartArguments(): Promise<string[]> {
  const { scripts }: { scripts: { start: string } } = JSON.parse(
    await readFile(join(project, 'package.json'), 'utf8'),
  );
  return scripts.start
    .split(' ')
    .slice(2)
    .map((word) => (word.endsWith('.ts') ? join(project, word) : word));
}

export interface EngineUnderTest {
  readonly url: string;
  /** Token of an administrator. */
  readonly token: string;
  readonly pid: number;
  /** Milliseconds from spawn until /readyz responds with 200. */
  readonly startMs: number;
  call(method: 'GET' | 'POST', path: string, body?: object): Promise<Record<string, unknown>>;
  /** The value of a metric without labels. */
  readMetric(name: string): Promise<number>;
  /** Processor seconds used so far by the engine with its spawners, by its PostgreSQL and by processes of tasks. */
  cpuSeconds(): Promise<CpuSeconds>;
  /** Memory of the engine and of its PostgreSQL, in MB; shared pages count once. */
  proportionalMegabytes(): Promise<number>;
  /** Resident memory of the engine, in MB. */
  residentMegabytes(): Promise<number>;
  stop(): Promise<void>;
}

export interface CpuSeconds {
  readonly engine: number;
  readonly postgres: number;
  readonly tasks: number;
}

export async function createTemporaryDirectory(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'runyard-bench-'));
  await chmod(path, 0o711);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** @param variables settings in addition to those of every benchmark */
export async function startEngineUnderTest(
  dataDirectory: string,
  path: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<EngineUnderTest> {
  const before = systemClock.now();
  const child = spawn(process.execPath, await readStartArguments(), {
    cwd: dataDirectory,
    env: {
      PATH: path,
      RUNYARD_PORT: '0',
      RUNYARD_DATA_DIR: dataDirectory,
      RUNYARD_BOOTSTRAP_TOKEN: token,
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await waitForUrl(child);
  while (!(await fetch(`${url}/readyz`)).ok);
  const startMs = systemClock.now() - before;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return {
    url,
    token,
    startMs,
    pid: child.pid ?? 0,
    async call(method, operation, body) {
      const response = await fetch(`${url}/api/${operation}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${operation}: ${await response.text()}`);
      const answer: Record<string, unknown> = JSON.parse(await response.text());
      return answer;
    },
    async readMetric(name) {
      const text = await (await fetch(`${url}/metrics`, { headers })).text();
      return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
    },
    cpuSeconds: () => measureCpuSeconds(child.pid ?? 0),
    proportionalMegabytes: () => measureProportionalMegabytes(child.pid ?? 0),
    residentMegabytes: () => readResidentMegabytes(child.pid ?? 0),
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function waitForUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('The stdout of the engine is not a pipe.');
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /"url":"([^"]+)"/.exec(line)?.[1];
    if (url !== undefined) {
      child.stdout.resume();
      return url;
    }
  }
  throw new Error('The engine ended before it was ready.');
}

async function readResidentMegabytes(pid: number): Promise<number> {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** Clock ticks per second of CPU times in /proc (USER_HZ). */
const clockTicksPerSecond = 100;

interface ProcessTimes {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly own: number;
  /** Times of ended children. */
  readonly children: number;
}

/** The processes of an engine. */
interface EngineProcesses {
  readonly engine: ProcessTimes | undefined;
  readonly postgres: readonly ProcessTimes[];
  /** Spawners: children of the engine, which start the processes of tasks. */
  readonly spawners: readonly ProcessTimes[];
  /** Processes of tasks and of clusters, below the spawners. */
  readonly tasks: readonly ProcessTimes[];
}

async function listProcesses(engine: number): Promise<EngineProcesses> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = (await Promise.all(pids.map(readProcessTimes))).filter((one) => one !== undefined);
  const below = (parents: readonly ProcessTimes[]): ProcessTimes[] => {
    const children = all.filter(({ parent }) => parents.some(({ pid }) => pid === parent));
    return children.length === 0 ? [] : [...children, ...below(children)];
  };
  const own = all.find(({ pid }) => pid === engine);
  const children = all.filter(({ parent }) => parent === engine);
  const servers = children.filter(({ name }) => name === 'postgres');
  const spawners = children.filter(({ name }) => name !== 'postgres');
  return { engine: own, postgres: [...servers, ...below(servers)], spawners, tasks: below(spawners) };
}

async function measureCpuSeconds(pid: number): Promise<CpuSeconds> {
  const { engine, postgres, spawners, tasks } = await listProcesses(pid);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    engine: sum([engine?.own ?? 0, ...spawners.map(({ own }) => own)]),
    tasks: sum([
      engine?.children ?? 0,
      ...spawners.map(({ children }) => children),
      ...tasks.map(({ own, children }) => own + children),
    ]),
    postgres: sum(postgres.map(({ own, children }) => own + children)),
  };
}

async function measureProportionalMegabytes(engine: number): Promise<number> {
  const { postgres, spawners } = await listProcesses(engine);
  const kilobytes = await Promise.all(
    [engine, ...[...postgres, ...spawners].map(({ pid }) => pid)].map(async (pid) => {
      const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
      return Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0);
    }),
  );
  return kilobytes.reduce((total, one) => total + one, 0) / 1_024;
}

async function readProcessTimes(pid: string): Promise<ProcessTimes | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const seconds = (first: number): number =>
    ((fields[first] ?? 0) + (fields[first + 1] ?? 0)) / clockTicksPerSecond;
  return {
    pid: Number(pid),
    parent: fields[1] ?? 0,
    name: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')),
    own: seconds(11),
    children: seconds(13),
  };
}
