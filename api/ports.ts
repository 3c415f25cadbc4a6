/** What the operations ask of the world: types only. storage/ has what fits them, cli/ wires them together. */
import type { CancelPorts } from '../engine/cancel.ts';
import type { Clock } from '../engine/clock.ts';
import type { LaunchPorts } from '../engine/launch.ts';
import type { Limits } from '../engine/limits.ts';
import type { JobStore, ManagedFileStore, RunReader, WorkspaceStore } from '../engine/ports.ts';
import type { TaskOutput } from '../engine/run/output.ts';

/** What the attempts left behind. Both take the id of a task run. */
export interface OutputReader {
  read(runId: number): Promise<TaskOutput | undefined>;
  /** The first `bytes` bytes of stdout and stderr, in that order; empty when there is nothing yet. */
  logs(runId: number, bytes: number): Promise<{ readonly text: string; readonly truncated: boolean }>;
}

/** The installation, as the pages of the console and the clients name it. */
export interface Site {
  /** Without a slash at the end. A function, because a port that the system picks is known only later. */
  publicUrl(): string;
  /** Decimal digits. */
  readonly workspaceId: string;
}

/** Everything that operations are made from; each takes the part that it needs. */
export interface OperationPorts {
  readonly jobs: JobStore;
  readonly runs: RunReader;
  readonly outputs: OutputReader;
  readonly launching: LaunchPorts;
  readonly cancelling: CancelPorts;
  readonly clock: Clock;
  readonly limits: Limits;
  /** Names of all known task kinds: the built-in ones and those of plugins. */
  readonly kinds: readonly string[];
  readonly site: Site;
}

export interface WorkspacePorts {
  readonly workspace: WorkspaceStore;
}

export interface ManagedFsPorts {
  readonly managedFiles: ManagedFileStore;
}
