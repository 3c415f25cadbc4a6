/** The parts of an engine, and how they stop. */
import type { Coordinator } from '../../engine/coordinator/coordinator.ts';
import type { OwnershipLoop } from '../../engine/coordinator/ownership-loop.ts';
import type { RunQueue } from '../../engine/coordinator/run-queue.ts';
import type { ClosableTaskPool } from '../../runners/pool/task-pool.ts';
import type { DiskMonitor } from '../../storage/files/disk-monitor.ts';
import type { Clusters } from './clusters.ts';
import type { Libraries } from './libraries.ts';
import { stopAll } from './shutdown.ts';

/** Parts of an engine that are stopped with it. */
export interface EngineParts {
  libraries: Pick<Libraries, 'close'>;
  queue: RunQueue;
  coordinator: Coordinator;
  clusters: Clusters;
  pool: ClosableTaskPool;
  ownership: OwnershipLoop;
  disk: DiskMonitor;
}

/** Starts nothing new, and waits for the running tasks. */
export async function drainEngine({
  ownership,
  queue,
  coordinator,
}: Pick<EngineParts, 'ownership' | 'queue' | 'coordinator'>): Promise<void> {
  ownership.stopAdopting();
  await queue.close();
  await coordinator.drain();
}

/** Stops all parts that have started. The lease is returned last: until then no other engine adopts the runs. */
export function closeEngine(parts: Partial<EngineParts>): Promise<void> {
  return stopAll([
    () => parts.disk?.close(),
    () => parts.libraries?.close(),
    () => parts.queue?.close(),
    () => parts.coordinator?.close(),
    () => parts.clusters?.close(),
    () => parts.pool?.close(),
    () => parts.ownership?.close(),
  ]);
}
