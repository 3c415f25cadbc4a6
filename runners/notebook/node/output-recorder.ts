/** Keeps what the running cell shows, in its order, up to the most that a cell may show. */
import { truncateUtf8, type CellOutput } from '../../../engine/run/task-output.ts';
import type { CellOutputWriter } from './driver-protocol.ts';

export interface OutputRecorder extends CellOutputWriter {
  startCell(): void;
  outputs(): readonly CellOutput[];
}

export interface OutputRecorderOptions {
  /** Most bytes of a cell. */
  readonly bytesMax: number;
  /** After each output that was kept. */
  readonly onOutput: () => void;
  /** What would go beyond the limit is cut, then this is called. */
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
  const keep = (stream: 'stdout' | 'stderr', text: string): void => {
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
      const room = Math.max(0, bytesMax - size);
      const whole = fits(Buffer.byteLength(text));
      keep(stream, whole ? text : truncateUtf8(text, room).text);
      if (whole) onOutput();
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
