/** A standalone Spark cluster of one master and two workers, from the PySpark package, for tests that kill them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InstalledSpark } from '../../runners/spark/spark-runtime.ts';
import { listProcesses } from '../../runners/process/process-group.ts';
import { eventually } from './eventually.ts';

type Daemon = 'master' | 'worker-1' | 'worker-2';

export interface StandaloneSpark {
  /** spark:// URL of the master. */
  readonly url: string;
  /** Kills a daemon with its executors. */
  kill(name: Daemon): Promise<void>;
  /** Starts a killed daemon again; a master recovers its state. */
  restart(name: Daemon): Promise<void>;
  /** Lists the applications that have executor processes. */
  listExecutorApplications(): Promise<string[]>;
  stop(): Promise<void>;
}

/** Returns the command line of a process; empty when it has ended. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

export async function startStandaloneSpark(spark: InstalledSpark): Promise<StandaloneSpark> {
  const directory = await mkdtemp(join(tmpdir(), 'runyard-standalone-'));
  const port = await findFreePort();
  const url = `spark://127.0.0.1:${port}`;
  const commands: Record<Daemon, string[]> = {
    master: [
      'org.apache.spark.deploy.master.Master',
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--webui-port',
      '0',
    ],
    'worker-1': workerCommand(url),
    'worker-2': workerCommand(url),
  };
  const running = new Map<Daemon, { readonly pid: number; readonly exited: Promise<unknown> }>();
  const logOf = (name: Daemon): string => join(directory, `${name}.log`);
  const start = async (name: Daemon): Promise<void> => {
    mkdirSync(join(directory, name), { recursive: true });
    const log = openSync(logOf(name), 'w');
    const child = spawn(join(spark.home, 'bin', 'spark-class'), commands[name], {
      cwd: join(directory, name),
      detached: true,
      stdio: ['ignore', log, log],
      env: {
        PATH: process.env['PATH'] ?? '',
        SPARK_HOME: spark.home,
        SPARK_LOCAL_IP: '127.0.0.1',
        SPARK_WORKER_DIR: join(directory, name),
        SPARK_LOCAL_DIRS: join(directory, name),
        SPARK_DAEMON_MEMORY: '256m',
        SPARK_DAEMON_JAVA_OPTS: `-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dspark.deploy.recoveryMode=FILESYSTEM -Dspark.deploy.recoveryDirectory=${join(directory, 'recovery')}`,
      },
    });
    closeSync(log);
    running.set(name, { pid: child.pid ?? 0, exited: once(child, 'exit') });
    const ready = name === 'master' ? /I have been elected leader/ : /Successfully registered with master/;
    await eventually(() => readFileSync(logOf(name), 'utf8'), {
      until: (text) => ready.test(text),
      within: 120_000,
    });
  };
  const kill = async (name: Daemon): Promise<void> => {
    const daemon = running.get(name);
    if (daemon === undefined) return;
    running.delete(name);
    process.kill(-daemon.pid, 'SIGKILL');
    await daemon.exited;
  };
  mkdirSync(join(directory, 'recovery'), { recursive: true });
  await start('master');
  await Promise.all([start('worker-1'), start('worker-2')]);
  return {
    url,
    kill,
    restart: start,
    async listExecutorApplications() {
      const own = (await listProcesses()).filter(({ variables }) =>
        variables.some((one) => one.startsWith(`SPARK_WORKER_DIR=${directory}/`)),
      );
      return own.flatMap(({ pid }) => / --app-id (\S+)/.exec(commandOf(pid))?.[1] ?? []);
    },
    async stop() {
      for (const name of running.keys()) await kill(name);
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function workerCommand(url: string): string[] {
  return [
    'org.apache.spark.deploy.worker.Worker',
    '--host',
    '127.0.0.1',
    '-c',
    '1',
    '-m',
    '1g',
    '--webui-port',
    '0',
    url,
  ];
}

/** Returns a port that was free a moment ago; a restarted master must have the same one. */
async function findFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
