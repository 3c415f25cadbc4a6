/** Lists the attempts of a data directory that have living processes on this machine. */
import { join } from 'node:path';
import type { ProcessTable } from '../../engine/ports/attempts.ts';
import { createWakeSignal } from '../wake-signal.ts';
import { killMarkedProcesses, listProcesses } from './process-group.ts';
import { attemptMarker } from './start-supervisor.mjs';

/** @param runsDirectory absolute parent of the attempt directories, which are named by run id */
export function createProcessTable(runsDirectory: string): ProcessTable {
  return {
    async listAttempts() {
      const ids = new Set<number>();
      const below = join(runsDirectory, '/');
      for (const { variables, logs } of await listProcesses()) {
        const mark = variables
          .find((variable) => variable.startsWith(`${attemptMarker}=`))
          ?.slice(attemptMarker.length + 1);
        for (const path of [mark ?? '', ...logs]) {
          const id = path.startsWith(below) ? Number(path.slice(below.length).split('/', 1)[0]) : NaN;
          if (Number.isSafeInteger(id)) ids.add(id);
        }
      }
      return [...ids];
    },
    killAttempt: (runId) => killMarkedProcesses(join(runsDirectory, String(runId)), createWakeSignal()),
  };
}
