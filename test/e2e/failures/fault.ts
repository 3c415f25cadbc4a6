/** A fault of the battery: how it is injected, and what every message about it must say. */
import type { CauseCode } from '../../../engine/run/explain/explanation.ts';
import type { ApiClient, ResponseBody } from '../../harness/api-client.ts';

/** What a fault needs of the machine. */
export type Requirement = 'java' | 'tmpfs' | 'javac' | 'memory group' | 'kernel log';

/** Facts about the service that faults need. */
export interface FaultService extends ApiClient {
  readonly dataDirectory: string;
  /** Directory on a disk of 1 MB. */
  readonly smallDisk: string;
  /** Settings that notify the recipients of the battery. */
  readonly notifications: object;
  /** Sends a request as the console does. */
  callFromConsole(path: string, input: object): Promise<void>;
}

export interface Fault {
  /** What is injected. */
  readonly name: string;
  readonly code: CauseCode;
  /** Parts of every message about it. `<n>` stands for an id or a number. */
  readonly cause: string;
  readonly place: string;
  readonly nextStep: string;
  /** Further parts of the run's message, the mail and the chat message. */
  readonly also?: readonly string[];
  /** Settings of the job; undefined for a fault that starts its own run. */
  readonly job?: object;
  /** Files in managed_fs and notebooks (paths without an extension), by path. */
  readonly files?: Readonly<Record<string, string | readonly string[]>>;
  /** Starts the run; default: run-now of the job. Returns its id. */
  readonly start?: (service: FaultService) => Promise<number>;
  /** Acts on the run once it runs. */
  readonly act?: (service: FaultService, runId: number) => Promise<void>;
  /** True for an end that is no failure: nothing is sent about it. */
  readonly isQuiet?: true;
  /** Task whose message is examined; default: the run. */
  readonly task?: string;
  readonly requires?: Requirement;
}

export const cluster = { existing_cluster_id: 'battery' };

/** Returns the settings of a job with one Python file. */
export const python = (file: string, more: object = {}): object => ({
  ...cluster,
  spark_python_task: { python_file: `managed_fs:${file}` },
  ...more,
});

/** Returns the settings of a job with one notebook. */
export const notebook = (path: string, more: object = {}): object => ({
  ...cluster,
  notebook_task: { notebook_path: path },
  ...more,
});

/** Returns a task of a multi-task job. */
export const task = (key: string, settings: object, after: readonly string[] = []): object => ({
  task_key: key,
  ...settings,
  ...(after.length > 0 && { depends_on: after.map((one) => ({ task_key: one })) }),
});

/** Returns a fault of one Python program. */
export function pythonFault(
  file: string,
  lines: readonly string[],
  expected: Pick<Fault, 'name' | 'code' | 'cause' | 'nextStep'> & Partial<Fault>,
): Fault {
  return {
    place: `managed_fs:${file}`,
    job: python(file),
    files: { [file]: `${lines.join('\n')}\n` },
    ...expected,
  };
}

/** Returns a fault of one notebook. */
export function notebookFault(
  path: string,
  cells: readonly string[],
  expected: Pick<Fault, 'name' | 'code' | 'cause' | 'nextStep'> & Partial<Fault>,
): Fault {
  return { place: path, job: notebook(path), files: { [path]: cells }, ...expected };
}

/** Waits until a run has begun to run. */
export async function waitUntilRunning(service: FaultService, runId: number): Promise<ResponseBody> {
  return service.waitForRun(runId, ({ state }) => state.life_cycle_state === 'RUNNING');
}
