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
  readonly pid: number;
  /** Milliseconds from spawn until /readyz responds with 200. */
  readonly startMs: number;
  call(method: 'GET' | 'POST', path: string, body?: object): Promise<Record<string, unknown>>;
  /** The value of a metric without labels. */
  readMetric(name: string): Promise<number>;
  /** Processor seconds used so far by the engine and by its PostgreSQL. */
  cpuSeconds(): Promise<{ engine: number; postgres: number }>;
  /** Resident memory of the engine, in MB. */
  residentMegabytes(): Promise<number>;
  stop(): Promise<void>;
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

async function measureCpuSeconds(engine: number): Promise<{ engine: number; postgres: number }> {
  const all = await Promise.all(
    (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(readProcessTimes),
  );
  const times = all.filter((one) => one !== undefined);
  const children = new Set(times.filter((one) => one.parent === engine).map((one) => one.pid));
  const sum = (of: typeof times): number => of.reduce((total, one) => total + one.seconds, 0);
  return {
    engine: sum(times.filter((one) => one.pid === engine)),
    postgres: sum(times.filter((one) => children.has(one.pid) || children.has(one.parent))),
  };
}

async function readProcessTimes(
  pid: string,
): Promise<{ pid: number; parent: number; seconds: number } | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return {
    pid: Number(pid),
    parent: fields[1] ?? 0,
    seconds: ((fields[11] ?? 0) + (fields[12] ?? 0)) / clockTicksPerSecond,
  };
}
