/** Files of an attempt of a notebook task: the executed notebook and the report of its cells. */
import { join } from 'node:path';
import { tryParseJson, readHead } from '../../engine/read-file.ts';
import { parseNotebookReport } from '../../engine/run/notebook-report.ts';
import type { NotebookReport } from '../../engine/run/task-output.ts';
import type { Roots } from './roots.ts';

export interface NotebookFiles {
  /**
   * Returns the report; undefined when there is none. A report that is too long or malformed has an error
   * that says so.
   */
  report(runId: number): Promise<NotebookReport | undefined>;
  /**
   * Returns the first `bytes` bytes of the executed notebook; undefined when the attempt did not start it.
   */
  source(runId: number, bytes: number): Promise<string | undefined>;
}

/** Maximum size of a report: it is held in memory several times while it is rendered. */
const reportBytesMax = 64 * 2 ** 20;

/** Names of the copy that the runner makes of the notebook, by language. */
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
