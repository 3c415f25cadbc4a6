/**
 * What an attempt of a notebook task leaves in its directory: the notebook as it was run, and the report of
 * its cells.
 */
import { join } from 'node:path';
import { tryParseJson, readHead } from '../../engine/read-file.ts';
import { parseNotebookReport } from '../../engine/run/notebook-report.ts';
import type { NotebookReport } from '../../engine/run/task-output.ts';
import type { Roots } from './roots.ts';

export interface NotebookFiles {
  /**
   * The report; undefined when there is none. One that is too long or not as its runner writes it has an
   * error that says so.
   */
  report(runId: number): Promise<NotebookReport | undefined>;
  /**
   * The first `bytes` bytes of the notebook that was run; undefined when the attempt did not get that far.
   */
  source(runId: number, bytes: number): Promise<string | undefined>;
}

/**
 * The longest report that is read: it is held in memory several times over while it is turned into a page.
 */
const reportBytesMax = 64 * 2 ** 20;

/** What the runner copies the notebook to before it starts, by its language. */
const snapshots = ['notebook.py', 'notebook.sql', 'notebook.js'] as const;

export function createNotebookFiles(roots: Pick<Roots, 'runs'>): NotebookFiles {
  const file = (runId: number, name: string): string => join(roots.runs.directory, String(runId), name);
  return {
    async report(runId) {
      const { text, bytes, truncated } = await readHead(file(runId, 'notebook.json'), reportBytesMax);
      if (truncated)
        return unreadable(
          `it has more than ${reportBytesMax} bytes. It is the file notebook.json of the attempt`,
        );
      if (bytes === 0) return undefined;
      return (
        parseNotebookReport(tryParseJson(text)) ??
        unreadable('its file was changed by something other than its runner')
      );
    },
    async source(runId, bytes) {
      for (const name of snapshots) {
        const { text } = await readHead(file(runId, name), bytes);
        if (text !== '') return text;
      }
      return undefined;
    },
  };
}

function unreadable(why: string): NotebookReport {
  const sentence = `The report of this notebook cannot be read: ${why}.`;
  return { path: '', cells: [], error: { summary: sentence, trace: '', cell: 0 } };
}
