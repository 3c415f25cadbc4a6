/** Records the output of the running cell in order, up to the limit. */
import { truncateUtf8, type CellOutput } from '../../../engine/run/task-output.ts';
import type { CellOutputWriter } from './driver-protocol.ts';

export interface OutputRecorder extends CellOutputWriter {
  startCell(): void;
  outputs(): readonly CellOutput[];
}

export interface OutputRecorderOptions {
  /** Maximum output of a cell. */
  readonly bytesMax: number;
  /** Called after each recorded output. */
  readonly onOutput: () => void;
  /** Called after output beyond the limit was discarded. */
  readonly onOverflow: () => void;
}

export function createOutputRecorder({
  bytesMax,
  onOutput,
  onOverflow,
}: OutputRecorderOptions): OutputRecorder {
  let outputs: CellOutput[] = [];
  let size = 0;
  const fits = (bytes: number): boolean => {
    size += bytes;
    return size <= bytesMax;
  };
  const append = (stream: 'stdout' | 'stderr', text: string): void => {
    const last = outputs.at(-1);
    if (last?.type === stream) outputs[outputs.length - 1] = { type: stream, data: last.data + text };
    else if (text !== '') outputs.push({ type: stream, data: text });
  };
  return {
    startCell() {
      outputs = [];
      size = 0;
    },
    outputs: () => outputs,
    write(stream, text) {
      const available = Math.max(0, bytesMax - size);
      const isWhole = fits(Buffer.byteLength(text));
      append(stream, isWhole ? text : truncateUtf8(text, available).text);
      if (isWhole) onOutput();
      else onOverflow();
    },
    add(output) {
      if (!fits(bytesOf(output))) return onOverflow();
      outputs.push(output);
      onOutput();
    },
  };
}

function bytesOf(output: CellOutput): number {
  return Buffer.byteLength('data' in output ? output.data : JSON.stringify(output));
}
