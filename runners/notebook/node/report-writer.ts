/**
 * Writes the report of a notebook: every cell with what it showed, in one step whenever something changed.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { systemClock } from '../../../engine/clock.ts';
import type {
  CellLanguage,
  CellOutput,
  NotebookCell,
  NotebookReport,
} from '../../../engine/run/task-output.ts';
import type { NotebookDriverInput, SourceCell } from './driver-protocol.ts';

/** How often the report is written while a cell shows more and more, ms. */
const interimWriteMs = 1_000;

export interface ReportWriter {
  /** The cell runs: it has a start and no end, which is how a crash leaves it. */
  startCell(position: number): void;
  /** What it has shown so far, for whoever looks meanwhile and in case it never ends. */
  writeInterim(position: number, outputs: () => readonly CellOutput[]): void;
  endCell(position: number, status: 'finished' | 'failed', outputs: readonly CellOutput[]): void;
  end(how: Pick<NotebookReport, 'exitValue' | 'error'>): void;
}

export function createReportWriter(order: NotebookDriverInput, sources: readonly SourceCell[]): ReportWriter {
  const cells = sources.map((source) => createInitialCell(source, order));
  // Each cell is put into JSON when it changes: a notebook of many large cells is not encoded over and over.
  const encoded = cells.map((cell) => JSON.stringify(cell));
  let head: Omit<NotebookReport, 'cells'> = {
    path: order.path,
    language: order.language,
    parameters: order.parameters,
  };
  let written = 0;
  let later: NodeJS.Timeout | undefined;
  const change = (position: number, fields: Partial<NotebookCell>): void => {
    const cell = cells[position - 1];
    if (cell === undefined) return;
    cells[position - 1] = { ...cell, ...fields };
    encoded[position - 1] = JSON.stringify(cells[position - 1]);
  };
  const write = (): void => {
    const part = `${order.report}.part`;
    writeFileSync(part, `{"cells": [${encoded.join(', ')}], ${JSON.stringify(head).slice(1)}`, {
      mode: 0o600,
    });
    renameSync(part, order.report);
    written = systemClock.now();
  };
  return {
    startCell(position) {
      change(position, { startTime: systemClock.now() });
      write();
    },
    writeInterim(position, outputs) {
      const show = (): void => {
        change(position, { outputs: outputs() });
        write();
      };
      clearTimeout(later);
      const wait = written + interimWriteMs - systemClock.now();
      if (wait <= 0) show();
      // Nobody may be there to come back to it: the last thing that a cell shows before it computes for an
      // hour.
      else later = setTimeout(show, wait).unref();
    },
    endCell(position, status, outputs) {
      clearTimeout(later);
      change(position, { status, finishTime: systemClock.now(), outputs });
    },
    end(how) {
      head = { ...head, ...how };
      write();
    },
  };
}

const languages: readonly string[] = [
  'python',
  'markdown',
  'sql',
  'shell',
  'pip',
  'run',
  'javascript',
] satisfies readonly CellLanguage[];

/** A cell of a language that is not known is shown as one of the notebook's own. */
function createInitialCell(
  { position, language, title, source }: SourceCell,
  order: NotebookDriverInput,
): NotebookCell {
  const shown = languages.includes(language) ? (language as CellLanguage) : order.language;
  return {
    position,
    language: shown,
    ...(title !== undefined && { title: title.toWellFormed() }),
    source: source.toWellFormed(),
    status: 'skipped',
    outputs: [],
  };
}
