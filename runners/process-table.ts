/** The attempts of one data directory that have living processes on this machine. */
import { basename, dirname, join } from 'node:path';
import type { ProcessTable } from '../engine/ports.ts';
import { createBell } from './bell.ts';
import { attemptMarker, endMarked, environments } from './process-group.ts';

/** @param runsDirectory absolute parent of the attempts' directories, which are named by their run ids */
export function createProcessTable(runsDirectory: string): ProcessTable {
  return {
    async living() {
      const ids = new Set<number>();
      for (const { variables } of await environments()) {
        const mark = variables.find((variable) => variable.startsWith(`${attemptMarker}=`));
        const directory = mark?.slice(attemptMarker.length + 1) ?? '';
        const id = Number(basename(directory));
        if (dirname(directory) === runsDirectory && Number.isSafeInteger(id)) ids.add(id);
      }
      return [...ids];
    },
    end: (runId) => endMarked(join(runsDirectory, String(runId)), createBell()),
  };
}
