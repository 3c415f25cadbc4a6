/** In-memory stores of runs, jobs and clusters with the fences and preconditions of the SQL stores. */
import type { JobSettings } from '../../engine/job/settings.ts';
import { applyTimeoutUpdate } from '../../engine/job/timeouts.ts';
import type { ClusterStore } from '../../engine/ports/clusters.ts';
import type { RunTimeoutUpdate } from '../../engine/ports/jobs.ts';
import type { RunStore } from '../../engine/ports/runs.ts';
import { createMemoryClusterStore } from './memory-cluster-store.ts';
import { createMemoryDatabase, type MemoryDatabase } from './memory-database.ts';
import { insertJob, requireRow } from './memory-queries.ts';
import { createMemoryRunStore } from './memory-run-store.ts';

export interface MemoryStores {
  readonly memory: MemoryDatabase;
  readonly runs: RunStore;
  readonly clusters: ClusterStore;
  createJob(settings: JobSettings, now: number): Promise<number>;
  /** Replaces the settings of a job and returns the active runs whose timeouts changed. */
  changeJob(jobId: number, settings: JobSettings): Promise<readonly RunTimeoutUpdate[]>;
}

export function createMemoryStores(): MemoryStores {
  const memory = createMemoryDatabase();
  return {
    memory,
    runs: createMemoryRunStore(memory),
    clusters: createMemoryClusterStore(memory),
    createJob: (settings, now) => memory.transaction(() => insertJob(memory.tables, settings, now, false)),
    changeJob: (jobId, settings) =>
      memory.transaction(() => {
        const { tables } = memory;
        const row = requireRow(tables.jobs.get(jobId));
        tables.jobs.set(jobId, { ...row, job: { ...row.job, settings } });
        return [...tables.runs.values()]
          .filter((run) => run.job_id === jobId && run.active)
          .flatMap((run) => {
            const changed = applyTimeoutUpdate(run.settings, settings);
            if (changed === undefined) return [];
            tables.runs.set(run.run_id, {
              ...run,
              settings: changed,
              timeout_revision: run.timeout_revision + 1,
            });
            return [{ runId: run.run_id, settings: changed }];
          });
      }),
  };
}
