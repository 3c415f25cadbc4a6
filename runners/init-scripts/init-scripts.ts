/** Init scripts of clusters: fetched once and run once, in a thread of their own (spec 2.8). */
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { ClusterProvider, InitScriptSpec, InitScriptOutcome } from '../../engine/ports/clusters.ts';
import { messageOf, ServiceError } from '../../engine/errors.ts';
import { statIfExists } from '../../engine/read-file.ts';
import { createWakeSignal } from '../wake-signal.ts';
import type { InitScriptRequest } from './init-script-worker.ts';
import { userVariables } from '../process/task-environment.ts';
import type { Isolation } from '../process/isolation.ts';
import { killMarkedProcesses, listProcesses } from '../process/process-group.ts';
import { attemptMarker } from '../process/start-supervisor.mjs';

export interface InitScriptOptions {
  /** Absolute parent of the clusters' directories. */
  readonly clustersDirectory: string;
  /** Base environment of tasks. */
  readonly taskEnvironment: Readonly<Record<string, string>>;
  readonly isolation: Isolation;
  readonly stopGraceMs: number;
  readonly logBytesMax: number;
  /** Returns the path of a file. @throws ServiceError */
  readonly locate: (uri: string, what: 'file') => Promise<string>;
}

export interface InitScriptRunner extends Pick<ClusterProvider, 'runScript' | 'stopScripts'> {
  /** Returns ids of clusters with running scripts on this machine. */
  listActiveClusters(): Promise<string[]>;
  /** Releases every script: processes continue, and no outcome follows. */
  close(): Promise<void>;
}

/** Maximum tries of a script whose thread died. */
const threadTriesMax = 5;

/** State of a script that `stop` and the thread share. */
interface ScriptControl {
  stopped: boolean;
  port: MessagePort | undefined;
}

/** Threads for init scripts, created on first use, because most services have no init scripts. */
class ScriptThreads {
  #pool: Piscina<InitScriptRequest, InitScriptOutcome> | undefined;
  #closed = false;

  /** Runs a script in a thread. When the thread dies, another one attaches to the process of the script. */
  async run(
    request: Omit<InitScriptRequest, 'port' | 'stopRequested'>,
    control: ScriptControl,
  ): Promise<InitScriptOutcome> {
    for (let tries = 1; ; tries += 1) {
      const { port1, port2 } = new MessageChannel();
      control.port = port1;
      try {
        return await this.#open().run(
          { ...request, port: port2, stopRequested: control.stopped },
          { transferList: [port2] },
        );
      } catch (error) {
        if (this.#closed) return new Promise(() => undefined);
        if (tries === threadTriesMax) throw error;
      } finally {
        port1.close();
      }
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool?.destroy();
  }

  #open(): Piscina<InitScriptRequest, InitScriptOutcome> {
    return (this.#pool ??= new Piscina<InitScriptRequest, InitScriptOutcome>({
      filename: new URL('./init-script-worker.ts', import.meta.url).href,
      name: 'runInitScript',
      minThreads: 0,
      maxThreads: 1,
      concurrentTasksPerWorker: 500,
      idleTimeout: 10_000,
      atomics: 'disabled',
    }));
  }
}

export function createInitScriptRunner(options: InitScriptOptions): InitScriptRunner {
  const threads = new ScriptThreads();
  return {
    runScript(script) {
      const control: ScriptControl = { stopped: false, port: undefined };
      const outcome = createRequest(options, script).then((request) => threads.run(request, control));
      return {
        outcome: outcome.catch((error: unknown): InitScriptOutcome => ({
          kind: 'impossible',
          message: messageOf(error),
        })),
        stop() {
          control.stopped = true;
          control.port?.postMessage('stop');
        },
      };
    },
    stopScripts: (clusterId) =>
      killMarkedProcesses(join(options.clustersDirectory, clusterId), createWakeSignal()),
    async listActiveClusters() {
      const mark = `${attemptMarker}=${options.clustersDirectory}/`;
      const marks = (await listProcesses()).flatMap(
        ({ variables }) => variables.find((variable) => variable.startsWith(mark)) ?? [],
      );
      return [...new Set(marks.map((variable) => variable.slice(mark.length)))];
    },
    close: () => threads.close(),
  };
}

async function createRequest(
  options: InitScriptOptions,
  script: InitScriptSpec,
): Promise<Omit<InitScriptRequest, 'port' | 'stopRequested'>> {
  const { isolation, stopGraceMs, logBytesMax } = options;
  return {
    directory: await fetchScript(options, script),
    clusterDirectory: script.directory,
    isolation,
    environment: {
      ...options.taskEnvironment,
      ...userVariables(isolation.user, join(script.directory, 'work')),
      ...script.environment,
      RUNYARD_CLUSTER_ID: script.clusterId,
    },
    stopGraceMs,
    logBytesMax,
  };
}

/** Returns the directory of a script, with a copy of the script made by the first call. */
async function fetchScript(
  { locate }: InitScriptOptions,
  { directory, generation, position, source }: InitScriptSpec,
): Promise<string> {
  const name = basename(source)
    .replaceAll(/[^\w.-]/g, '_')
    .slice(0, 100);
  const own = join(
    directory,
    'init_scripts',
    String(generation),
    `${String(position).padStart(2, '0')}_${name}`,
  );
  const script = join(own, 'script');
  if ((await statIfExists(script)) !== undefined) return own;
  const file = await locate(source, 'file').catch((error: unknown) => {
    throw error instanceof ServiceError
      ? error
      : new Error(`${source} could not be read: ${messageOf(error)}`);
  });
  // Traversable for the user of tasks; the parent directory of the cluster is not.
  await mkdir(own, { recursive: true, mode: 0o711 });
  const draft = `${script}.${randomUUID()}.part`;
  try {
    await copyFile(file, draft);
    await rename(draft, script);
  } finally {
    await rm(draft, { force: true });
  }
  return own;
}
