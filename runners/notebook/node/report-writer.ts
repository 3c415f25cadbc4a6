/** Writes the report of a notebook: every cell with its outputs, replaced atomically on every change. */
import { renameSync, writeFileSync } from 'node:fs';
import { systemClock } from '../../../engine/clock.ts';
import type {
  CellLanguage,
  CellOutput,
  NotebookCell,
  NotebookReport,
} from '../../../engine/run/task-output.ts';
import type { NotebookDriverInput, SourceCell } from './driver-protocol.ts';

/** Throttle of writes while a cell produces output. */
const interimWriteMs = 1_000;

export interface ReportWriter {
  /** Marks a cell as started and not finished, the state that a crash leaves. */
  startCell(position: number): void;
  /** Writes the output so far, for readers of the running notebook and in case of a crash. */
  writeInterim(position: number, outputs: () => readonly CellOutput[]): void;
  endCell(position: number, status: 'finished' | 'failed', outputs: readonly CellOutput[]): void;
  end(result: Pick<NotebookReport, 'exitValue' | 'error'>): void;
}

export function createReportWriter(order: NotebookDriverInput, sources: readonly SourceCell[]): ReportWriter {
  const cells = sources.map((source) => createInitialCell(source, order));
  // Each cell is encoded only when it changes.
  const encoded = cells.map((cell) => JSON.stringify(cell));
  let head: Omit<NotebookReport, 'cells'> = {
    path: order.path,
    language: order.language,
    parameters: order.parameters,
  };
  let lastWriteTime = 0;
  let writeTimer: NodeJS.Timeout | undefined;
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
    lastWriteTime = systemClock.now();
  };
  return {
    startCell(position) {
      change(position, { startTime: systemClock.now() });
      write();
    },
    writeInterim(position, outputs) {
      const writeOutputs = (): void => {
        change(position, { outputs: outputs() });
        write();
      };
      clearTimeout(writeTimer);
      const wait = lastWriteTime + interimWriteMs - systemClock.now();
      if (wait <= 0) writeOutputs();
      // The trailing write matters for output before a long computation.
      else writeTimer = setTimeout(writeOutputs, wait).unref();
    },
    endCell(position, status, outputs) {
      clearTimeout(writeTimer);
      change(position, { status, finishTime: systemClock.now(), outputs });
    },
    end(result) {
      head = { ...head, ...result };
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

/** Returns the state of a cell before it runs. An unknown language is shown as that of the notebook. */
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
